package io.convoke.server.recordings;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;

/** Metrics of recordings; the label of the discovery path shows lost webhooks. */
final class RecordingMeters {
  private final MeterRegistry registry;

  RecordingMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  void found(Discovery.Way way, RecordingStatus status) {
    registry
        .counter("convoke.recordings.found", "way", way.word(), "status", status.word())
        .increment();
  }

  void letter(Discovery.Taken taken) {
    registry
        .counter("convoke.recordings.letters", "fate", taken.name().toLowerCase(Locale.ROOT))
        .increment();
  }

  void denied() {
    registry.counter("convoke.recordings.denied").increment();
  }

  void listed(int recordings) {
    registry.counter("convoke.recordings.listed").increment(recordings);
  }

  void ended(StepName step, String how, Duration took) {
    registry.timer("convoke.recordings.steps", "step", step.word(), "outcome", how).record(took);
  }
}
