package io.convoke.chaos.recordings.rules;

/**
 * Something that a step did outside of the database.
 *
 * @param step {@code transcribe}: the transcriber began; {@code push}: the CRM took a note
 */
public record OutsideEffect(String recordingId, String step) {}
