package io.convoke.fakes.crm;

import io.convoke.fakes.orchestrator.FakeReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The account's limits: requests in ten seconds, and a limit that a test declares exceeded. A 429
 * names its policy; {@code Retry-After} is in seconds.
 */
public final class HubSpotLimits {
  private static final long WINDOW_NANOS = Duration.ofSeconds(10).toNanos();

  private final Deque<Long> recent = new ArrayDeque<>();
  private int most = 100;
  private int early;
  private Optional<LimitExceeded> exceeded = Optional.empty();

  /** Since the first 429, for a span that only the server knows. */
  private record LimitExceeded(
      int status, String policy, Optional<Duration> retryAfter, Duration span, long untilNanos) {}

  /** At most this many requests in ten seconds. */
  public synchronized void inTenSeconds(int requests) {
    most = requests;
  }

  /** Refuses every request with 429 for this long, and says so in {@code Retry-After}. */
  public void exceed(Duration span) {
    exceed(429, "SECONDLY", Optional.of(span), span);
  }

  /** Refuses every request for a span that begins with the first one. */
  public synchronized void exceed(
      int status, String policy, Optional<Duration> retryAfter, Duration span) {
    exceeded = Optional.of(new LimitExceeded(status, policy, retryAfter, span, 0));
  }

  /** How many requests came while a refusal with {@code Retry-After} was in force. */
  public synchronized int early() {
    return early;
  }

  synchronized Optional<FakeReply> refusal() {
    long now = System.nanoTime();
    if (exceeded.isPresent()) {
      LimitExceeded limit = exceeded.get();
      if (limit.untilNanos() == 0) {
        exceeded =
            Optional.of(
                new LimitExceeded(
                    limit.status(),
                    limit.policy(),
                    limit.retryAfter(),
                    limit.span(),
                    now + limit.span().toNanos()));
        return Optional.of(refused(limit.status(), limit.policy(), limit.retryAfter()));
      }
      if (now - limit.untilNanos() < 0) {
        early++;
        return Optional.of(refused(limit.status(), limit.policy(), limit.retryAfter()));
      }
      exceeded = Optional.empty();
    }
    while (!recent.isEmpty() && now - recent.getFirst() > WINDOW_NANOS) {
      recent.removeFirst();
    }
    if (recent.size() >= most) {
      return Optional.of(refused(429, "TEN_SECONDLY_ROLLING", Optional.empty()));
    }
    recent.addLast(now);
    return Optional.empty();
  }

  private static FakeReply refused(int status, String policy, Optional<Duration> retryAfter) {
    Map<String, String> headers = new LinkedHashMap<>();
    retryAfter.ifPresent(span -> headers.put("Retry-After", Long.toString(span.toSeconds())));
    return new FakeReply.JsonReply(
        status,
        headers,
        Map.of(
            "status",
            "error",
            "message",
            policy.equals("TEN_SECONDLY_ROLLING")
                ? "You have reached your ten_secondly_rolling limit."
                : "You have reached your " + policy.toLowerCase(java.util.Locale.ROOT) + " limit.",
            "errorType",
            "RATE_LIMIT",
            "correlationId",
            "c033cdaa-2c40-4a64-ae48-b4cec88dad24",
            "policyName",
            policy));
  }
}
