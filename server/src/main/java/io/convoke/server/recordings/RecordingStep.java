package io.convoke.server.recordings;

import java.time.Instant;
import java.util.Optional;

/**
 * One step of the work on a recording, as the row keeps it and the API shows it.
 *
 * @param attempts number of starts, over all runs
 * @param progress 0 to 1
 * @param error of the last failed attempt
 * @param detail the result in a few words
 */
record RecordingStep(
    StepName name,
    RecordingStepState state,
    int attempts,
    double progress,
    Optional<Instant> startedAt,
    Optional<Instant> endedAt,
    Optional<String> error,
    Optional<String> detail) {

  /** The state of a step. */
  enum RecordingStepState {
    PENDING,
    RUNNING,
    DONE,
    /** There was nothing to do, by configuration. */
    SKIPPED,
    FAILED
  }

  static RecordingStep pending(StepName name) {
    return new RecordingStep(
        name,
        RecordingStepState.PENDING,
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  boolean over() {
    return state == RecordingStepState.DONE || state == RecordingStepState.SKIPPED;
  }

  RecordingStep begun(Instant at) {
    return new RecordingStep(
        name,
        RecordingStepState.RUNNING,
        attempts + 1,
        0,
        Optional.of(at),
        Optional.empty(),
        error,
        Optional.empty());
  }

  RecordingStep at(double fraction) {
    double held = Math.clamp(fraction, 0, 1);
    return new RecordingStep(name, state, attempts, held, startedAt, endedAt, error, detail);
  }

  RecordingStep ended(RecordingStepState how, Instant at, String what) {
    return new RecordingStep(
        name,
        how,
        attempts,
        1,
        startedAt.or(() -> Optional.of(at)),
        Optional.of(at),
        Optional.empty(),
        Optional.of(what));
  }

  /** It failed; {@code last} if it will not be retried. */
  RecordingStep troubled(String why, boolean last, Instant at) {
    return new RecordingStep(
        name,
        last ? RecordingStepState.FAILED : RecordingStepState.RUNNING,
        attempts,
        progress,
        startedAt,
        last ? Optional.of(at) : Optional.empty(),
        Optional.of(why),
        detail);
  }

  /** Its result of an earlier run is there, and the next run does not repeat it. */
  RecordingStep kept() {
    return new RecordingStep(
        name,
        RecordingStepState.DONE,
        attempts,
        1,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of("in an earlier run"));
  }

  /** Resets the step; the attempts stay counted. */
  RecordingStep again() {
    return new RecordingStep(
        name,
        RecordingStepState.PENDING,
        attempts,
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
