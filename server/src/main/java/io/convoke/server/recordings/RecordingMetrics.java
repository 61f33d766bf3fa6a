package io.convoke.server.recordings;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;

/** Metrics of recordings; the label of the discovery path shows lost webhooks. */
final class RecordingMetrics {
  private final MeterRegistry registry;

  RecordingMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  void found(RecordingIngest.DiscoverySource discoverySource, RecordingStatus status) {
    registry
        .counter(
            "convoke.recordings.found",
            "source",
            discoverySource.wireName(),
            "status",
            status.wireName())
        .increment();
  }

  void recordWebhook(RecordingIngest.IngestResult ingestResult) {
    registry
        .counter(
            "convoke.recordings.webhooks", "outcome", ingestResult.name().toLowerCase(Locale.ROOT))
        .increment();
  }

  void recordLockRefused() {
    registry.counter("convoke.recordings.lock.refused").increment();
  }

  void recordPolled(int recordings) {
    registry.counter("convoke.recordings.polled").increment(recordings);
  }

  void ended(StepName step, String how, Duration took) {
    registry
        .timer("convoke.recordings.steps", "step", step.wireName(), "outcome", how)
        .record(took);
  }
}
