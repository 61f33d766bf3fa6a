package io.convoke.lab.chaos.recordings.verdict;

/**
 * Something that a step did outside of the database.
 *
 * @param step {@code transcribe}: the transcriber began; {@code push}: the CRM took a note
 */
public record Effect(String recordingId, String step) {}
