package io.convoke.chaos.recordings.rules;

/**
 * An effect of a step outside of the database.
 *
 * @param step {@code transcribe}: the transcriber started; {@code push}: the CRM accepted a note
 */
public record OutsideEffect(String recordingId, String step) {}
