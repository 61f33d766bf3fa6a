package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityOptions;
import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.json.Json;
import io.convoke.engine.wake.CappedTime;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The content of a work item: an activity with its input and options. */
record ActivityTask(
    String name,
    JsonNode input,
    int attempts,
    long pauseMs,
    double factor,
    long pauseMaxMs,
    long timeoutMs,
    long heartbeatMs,
    @Nullable String trace) {

  static String write(String name, JsonNode input, ActivityOptions options, String trace) {
    return Json.write(
        of(name, input, options.retry(), options.timeout(), options.heartbeat(), trace));
  }

  static ActivityTask of(
      String name,
      JsonNode input,
      RetryPolicy retry,
      Optional<Duration> timeout,
      Optional<Duration> heartbeat,
      @Nullable String trace) {
    return new ActivityTask(
        name,
        input,
        retry.attemptsMax(),
        CappedTime.millis(retry.first()),
        retry.factor(),
        CappedTime.millis(retry.most()),
        timeout.map(CappedTime::millis).orElse(0L),
        heartbeat.map(CappedTime::millis).orElse(0L),
        trace);
  }

  static ActivityTask read(String text) {
    return Json.read(text, ActivityTask.class);
  }

  /** The trace context of the workflow. */
  String traceparent() {
    return Traceparent.of(Optional.ofNullable(trace));
  }

  RetryPolicy retry() {
    return new RetryPolicy(
        attempts, Duration.ofMillis(pauseMs), factor, Duration.ofMillis(pauseMaxMs));
  }

  /**
   * How long an attempt may take; without a timeout it has another one, unless it has heartbeats.
   */
  Optional<Duration> timeoutOr(Duration ordinary) {
    if (timeoutMs > 0) {
      return Optional.of(Duration.ofMillis(timeoutMs));
    }
    return heartbeatMs > 0 ? Optional.empty() : Optional.of(ordinary);
  }

  Optional<Duration> heartbeat() {
    return heartbeatMs == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(heartbeatMs));
  }
}
