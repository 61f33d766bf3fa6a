package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** What a pod counts. Labels are closed sets. */
final class PodMetrics {
  private final MeterRegistry registry;

  PodMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (String outcome : new String[] {"done", "failed", "try_again", "interrupted"}) {
      var _ = registry.timer("convoke.pod.tasks", "outcome", outcome);
    }
  }

  /** Shows how many slots there are, and how many of them are taken. */
  void slots(int count, IntSupplier running) {
    Gauge.builder("convoke.pod.slots", () -> count)
        .description("tasks that the pod runs side by side at most")
        .register(registry);
    Gauge.builder("convoke.pod.running", running::getAsInt)
        .description("tasks that it runs now")
        .register(registry);
  }

  void ended(AttemptOutcome attemptOutcome, long nanos) {
    record(
        switch (attemptOutcome) {
          case AttemptOutcome.AttemptDone _ -> "done";
          case AttemptOutcome.AttemptFailed _ -> "failed";
          case AttemptOutcome.AttemptRetry _ -> "try_again";
        },
        nanos);
  }

  /** Its lease was lost, or it was given back. */
  void interrupted(long nanos) {
    record("interrupted", nanos);
  }

  private void record(String outcome, long nanos) {
    registry.timer("convoke.pod.tasks", "outcome", outcome).record(nanos, TimeUnit.NANOSECONDS);
  }
}
