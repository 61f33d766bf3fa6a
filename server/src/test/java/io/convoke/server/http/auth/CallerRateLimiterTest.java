package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.HttpConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The token bucket by the clock. */
class CallerRateLimiterTest {
  private final AtomicLong nanos = new AtomicLong();
  private final CallerRateLimiter limits =
      new CallerRateLimiter(new HttpConfig.RateLimitConfig(2, 4), nanos::get);

  @Test
  void a_burst_is_admitted_then_the_rate() {
    for (int left = 3; left >= 0; left--) {
      assertThat(limits.tryAcquire("ann"))
          .isEqualTo(new CallerRateLimiter.RateLimitState(true, left, wait(left)));
    }
    assertThat(limits.tryAcquire("ann").admitted()).isFalse();
    assertThat(limits.tryAcquire("bob").admitted()).isTrue();

    nanos.addAndGet(Duration.ofMillis(500).toNanos());
    assertThat(limits.tryAcquire("ann").admitted()).isTrue();
    assertThat(limits.tryAcquire("ann").untilNext()).isEqualTo(Duration.ofMillis(500));
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(limits.tryAcquire("ann").remaining()).isEqualTo(3);
  }

  private static Duration wait(int left) {
    return left >= 1 ? Duration.ZERO : Duration.ofMillis(500);
  }

  @Test
  void callers_beyond_the_bound_evict_others_but_are_served() {
    for (int i = 0; i < CallerRateLimiter.MAX_CALLERS * 2; i++) {
      assertThat(limits.tryAcquire("caller " + i).admitted()).isTrue();
    }
  }
}
