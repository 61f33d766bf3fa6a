package io.convoke.server.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Found values are cached until the TTL; evicted ones are not cached again. */
class TtlCacheTest {
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger looks = new AtomicInteger();
  private final TtlCache<Integer> ttlCache = new TtlCache<>(Duration.ofSeconds(3), 2, nanos::get);

  private Optional<Integer> get(String key) {
    return ttlCache.get(key, () -> Optional.of(looks.incrementAndGet()));
  }

  @Test
  void a_value_is_looked_up_again_after_its_time() {
    assertThat(get("a")).contains(1);
    assertThat(get("a")).contains(1);
    nanos.set(Duration.ofSeconds(3).toNanos());
    assertThat(get("a")).contains(2);
  }

  @Test
  void what_was_not_found_is_not_remembered() {
    assertThat(ttlCache.get("a", Optional::empty)).isEmpty();
    assertThat(get("a")).contains(1);
    nanos.set(Duration.ofSeconds(3).toNanos());
    assertThat(ttlCache.get("a", Optional::empty)).isEmpty();
    assertThatThrownBy(() -> ttlCache.get("a", TtlCacheTest::away))
        .isInstanceOf(StoreUnavailable.class);
  }

  @Test
  void what_is_forgotten_while_it_is_looked_up_stays_forgotten() {
    Optional<Integer> stale =
        ttlCache.get(
            "a",
            () -> {
              ttlCache.invalidate("a");
              return Optional.of(0);
            });
    assertThat(stale).contains(0);
    assertThat(get("a")).contains(1);
    Optional<Integer> staleToo =
        ttlCache.get(
            "b",
            () -> {
              ttlCache.invalidate("b");
              ttlCache.clear();
              return Optional.of(0);
            });
    assertThat(staleToo).contains(0);
    assertThat(get("b")).contains(2);
  }

  @Test
  void all_is_forgotten_at_once() {
    assertThat(get("a")).contains(1);
    assertThat(get("b")).contains(2);
    ttlCache.clear();
    assertThat(ttlCache.size()).isZero();
    assertThat(get("a")).contains(3);
  }

  @Test
  void whileTheStoreIsUnreachableFoundValuesHoldForAQuarterOfAnHour() {
    assertThat(get("a")).contains(1);
    nanos.set(Duration.ofMinutes(14).toNanos());
    assertThat(ttlCache.get("a", TtlCacheTest::away)).contains(1);
    assertThatThrownBy(() -> ttlCache.get("b", TtlCacheTest::away))
        .isInstanceOf(StoreUnavailable.class);
    nanos.set(Duration.ofMinutes(15).plusSeconds(3).toNanos() - 1);
    assertThat(ttlCache.get("a", TtlCacheTest::away)).contains(1);
    nanos.incrementAndGet();
    assertThatThrownBy(() -> ttlCache.get("a", TtlCacheTest::away))
        .isInstanceOf(StoreUnavailable.class);
    nanos.set(Duration.ofMinutes(16).toNanos());
    assertThatThrownBy(() -> ttlCache.get("a", TtlCacheTest::away))
        .isInstanceOf(StoreUnavailable.class);
  }

  private static Optional<Integer> away() {
    throw new StoreUnavailable("away");
  }

  @Test
  void it_never_holds_more_than_its_bound() {
    for (int i = 0; i < 10; i++) {
      assertThat(get("key " + i)).isPresent();
      assertThat(ttlCache.size()).as("all go when it is full").isEqualTo(i % 2 + 1);
    }
    assertThat(ttlCache.size()).isLessThanOrEqualTo(2);
  }

  @Test
  void when_it_is_full_those_whose_time_is_over_go_first() {
    assertThat(get("old")).contains(1);
    nanos.set(Duration.ofSeconds(1).toNanos());
    assertThat(get("young")).contains(2);
    nanos.set(Duration.ofSeconds(3).toNanos());
    assertThat(get("new")).contains(3);
    assertThat(get("young")).contains(2);
    assertThat(ttlCache.size()).isEqualTo(2);
  }
}
