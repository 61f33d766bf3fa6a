package io.convoke.server.crm;

import io.convoke.server.platform.RateLimiter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time in which nothing is sent to a CRM: on this node at once, on the others through the
 * limiter. A sender waits for a short rest of it; for a longer one it fails, so that it holds no
 * place among the workers.
 */
final class CrmPause implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration MOST = Duration.ofDays(1);

  /** HubSpot's windows; without {@code Retry-After} its 429 names the one that is full. */
  private static final Duration ROLLING = Duration.ofSeconds(10);

  private static final Duration DAILY = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofSeconds(1);

  private final RateLimiter limiter;
  private final InstantSource time;
  private final AtomicLong untilNanos = new AtomicLong(System.nanoTime());
  private final CountDownLatch closed = new CountDownLatch(1);

  CrmPause(RateLimiter limiter, InstantSource time) {
    this.limiter = limiter;
    this.time = time;
  }

  /**
   * Returns when a request may be sent.
   *
   * @throws IOException when that takes longer than a sender waits
   */
  void await() throws IOException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      Duration left = left();
      if (left.isZero()) {
        return;
      }
      if (left.plusNanos(System.nanoTime() - began).compareTo(PATIENCE) > 0) {
        throw new IOException(
            "the CRM has asked to send nothing for another " + left.toSeconds() + " s");
      }
      if (closed.await(left.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IOException("this node stops");
      }
    }
  }

  /** After a refusal; {@code policy} is the name of HubSpot's limit, empty for others. */
  void begin(int status, Optional<String> retryAfter, String policy) {
    Duration span =
        retryAfter
            .flatMap(value -> span(value, time.instant()))
            .orElseGet(() -> status == 429 ? ofPolicy(policy) : Duration.ZERO);
    if (span.isZero()) {
      return;
    }
    long until = System.nanoTime() + span.toNanos();
    long _ = untilNanos.accumulateAndGet(until, (old, own) -> own - old > 0 ? own : old);
    limiter.freeze(span);
  }

  @Override
  public void close() {
    closed.countDown();
  }

  /** Seconds or an HTTP date, at most a day. */
  static Optional<Duration> span(String retryAfter, Instant now) {
    String value = retryAfter.strip();
    if (value.matches("\\d{1,9}(\\.\\d{1,9})?")) {
      return Optional.of(
          bounded(Duration.ofMillis((long) Math.ceil(Double.parseDouble(value) * 1000))));
    }
    try {
      Instant then = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Optional.of(bounded(Duration.between(now, then)));
    } catch (DateTimeParseException neither) {
      return Optional.empty();
    }
  }

  private static Duration ofPolicy(String policy) {
    return switch (policy) {
      case "TEN_SECONDLY_ROLLING" -> ROLLING;
      case "DAILY" -> DAILY;
      default -> SHORT;
    };
  }

  private static Duration bounded(Duration span) {
    return span.isNegative() ? Duration.ZERO : span.compareTo(MOST) > 0 ? MOST : span;
  }

  private Duration left() {
    long own = untilNanos.get() - System.nanoTime();
    return own > 0 ? Duration.ofNanos(own) : limiter.tryAcquire().orElse(Duration.ZERO);
  }
}
