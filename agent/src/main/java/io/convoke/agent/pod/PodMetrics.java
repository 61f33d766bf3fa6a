package io.convoke.agent.pod;

import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** The metrics of a pod. Label values are closed sets. */
final class PodMetrics {
  private final MeterRegistry registry;

  PodMetrics(MeterRegistry registry) {
    this.registry = registry;
    for (String outcome : new String[] {"done", "failed", "try_again", "interrupted"}) {
      var _ = registry.timer("convoke.pod.tasks", "outcome", outcome);
    }
  }

  /** Registers the gauges of slots and running tasks. */
  void slots(int count, IntSupplier running) {
    Gauge.builder("convoke.pod.slots", () -> count)
        .description("most tasks that the pod runs at the same time")
        .register(registry);
    Gauge.builder("convoke.pod.running", running::getAsInt)
        .description("running tasks")
        .register(registry);
  }

  void ended(AttemptOutcome attemptOutcome, long nanos) {
    record(
        switch (attemptOutcome) {
          case AttemptOutcome.AttemptDone _ -> "done";
          case AttemptOutcome.AttemptFailed _ -> "failed";
          case AttemptOutcome.AttemptRetry _ -> "try_again";
          case AttemptOutcome.AttemptHandedBack _ -> "interrupted";
        },
        nanos);
  }

  /** Records an attempt that lost its lease or was returned. */
  void interrupted(long nanos) {
    record("interrupted", nanos);
  }

  private void record(String outcome, long nanos) {
    registry.timer("convoke.pod.tasks", "outcome", outcome).record(nanos, TimeUnit.NANOSECONDS);
  }
}
