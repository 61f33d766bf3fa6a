package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The token bucket by the clock. */
class RateLimitsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final RateLimits limits = new RateLimits(new HttpTerms.Rate(2, 4), nanos::get);

  @Test
  void a_burst_is_let_in_then_the_rate() {
    for (int left = 3; left >= 0; left--) {
      assertThat(limits.take("ann")).isEqualTo(new RateLimits.Standing(true, left, wait(left)));
    }
    assertThat(limits.take("ann").admitted()).isFalse();
    assertThat(limits.take("bob").admitted()).isTrue();

    nanos.addAndGet(Duration.ofMillis(500).toNanos());
    assertThat(limits.take("ann").admitted()).isTrue();
    assertThat(limits.take("ann").untilNext()).isEqualTo(Duration.ofMillis(500));
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    assertThat(limits.take("ann").remaining()).isEqualTo(3);
  }

  private static Duration wait(int left) {
    return left >= 1 ? Duration.ZERO : Duration.ofMillis(500);
  }

  @Test
  void callers_beyond_the_bound_push_out_others_but_are_served() {
    for (int i = 0; i < RateLimits.MAX_CALLERS * 2; i++) {
      assertThat(limits.take("caller " + i).admitted()).isTrue();
    }
  }
}
