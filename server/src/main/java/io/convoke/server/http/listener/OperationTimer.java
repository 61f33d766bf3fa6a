package io.convoke.server.http.listener;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The timers of one operation, one per class of status, so the labels stay bounded: {@code
 * convoke_http_requests_seconds{operation="startBot",status="2xx"}}.
 */
final class OperationTimer {
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(1000),
    Duration.ofMillis(5000)
  };

  private final MeterRegistry registry;
  private final String operation;
  private final AtomicReferenceArray<Timer> timers = new AtomicReferenceArray<>(6);

  OperationTimer(MeterRegistry registry, String operation) {
    this.registry = registry;
    this.operation = operation;
  }

  void record(int status, long nanos) {
    int family = Math.clamp(status / 100, 0, 5);
    Timer timer = timers.get(family);
    if (timer == null) {
      timer = create(family);
      timers.set(family, timer);
    }
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer create(int family) {
    return Timer.builder("convoke.http.requests")
        .description("How long requests took, by operation and class of status.")
        .tag("operation", operation)
        .tag("status", family + "xx")
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }
}
