package io.convoke.server.http.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.HttpConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
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

  /** What is left to each of the first callers after one more request. */
  private List<Long> left(int callers) {
    return IntStream.range(0, callers)
        .mapToObj(i -> limits.tryAcquire("caller " + i).remaining())
        .toList();
  }

  @Test
  void one_caller_beyond_the_bound_evicts_some_of_the_others() {
    assertThat(left(CallerRateLimiter.MAX_CALLERS)).containsOnly(3L);
    assertThat(left(CallerRateLimiter.MAX_CALLERS)).containsOnly(2L);
    assertThat(limits.tryAcquire("one more").admitted()).isTrue();
    assertThat(left(CallerRateLimiter.MAX_CALLERS)).containsOnly(1L, 3L);
  }

  @Test
  void full_buckets_are_evicted_before_others() {
    int busy = CallerRateLimiter.MAX_CALLERS / 10;
    assertThat(left(busy)).containsOnly(3L);
    assertThat(left(CallerRateLimiter.MAX_CALLERS)).containsOnly(2L, 3L);
    nanos.addAndGet(Duration.ofMillis(500).toNanos());
    assertThat(limits.tryAcquire("one more").admitted()).isTrue();
    assertThat(left(busy)).containsOnly(2L);
  }

  @Test
  void the_limit_is_told_as_a_burst_in_the_seconds_that_fill_it() {
    assertThat(limits.burst()).isEqualTo(4);
    assertThat(limits.windowSeconds()).isEqualTo(2);
    assertThat(
            new CallerRateLimiter(new HttpConfig.RateLimitConfig(10, 4), nanos::get)
                .windowSeconds())
        .isEqualTo(1);
  }
}
