package io.convoke.chaos.recordings.rules;

import java.time.Instant;

/**
 * An effect of a step outside of the database.
 *
 * @param step {@code transcribe}: the transcriber started; {@code push}: the CRM accepted a note
 * @param at when it began
 */
public record OutsideEffect(String recordingId, String step, Instant at) {
  /** An effect of which it is not known when it happened. */
  public OutsideEffect(String recordingId, String step) {
    this(recordingId, step, Instant.EPOCH);
  }
}
