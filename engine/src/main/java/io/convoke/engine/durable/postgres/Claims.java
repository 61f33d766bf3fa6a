package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.ClaimBuffer.Batch;
import io.convoke.engine.durable.postgres.ClaimBuffer.Held;
import io.convoke.engine.wake.Attempt;
import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The claims of one queue: from the floor up, into the buffer, with the store's clock. */
final class Claims<T> {
  /** The statement. */
  interface Store<T> {
    Seen<T> claim(Claim claim);
  }

  /** What the statement answered. */
  record Seen<T>(List<Claimed<T>> items, boolean exhausted, boolean contended) {}

  private final Store<T> store;
  private final StoreClock clock;
  private final Lane lane;
  private final ClaimBuffer<T> buffer;
  private final AtomicLong count = new AtomicLong();
  private volatile Duration lockTimeout = Duration.ofSeconds(30);

  Claims(Store<T> store, StoreClock clock, Lane lane, int limitMax) {
    this.store = store;
    this.clock = clock;
    this.lane = lane;
    this.buffer =
        new ClaimBuffer<>(this::claim, lane.channel(), limitMax, lane::announced, lane::wakeAt);
  }

  Attempt<T> take(Duration lock) {
    lockTimeout = lock;
    return buffer.take();
  }

  List<T> drain() {
    return buffer.drain();
  }

  /** Statements so far. */
  long count() {
    return count.get();
  }

  private Batch<T> claim(int limit) {
    long _ = count.incrementAndGet();
    boolean announced = lane.announced();
    Instant floor = lane.floor().begin();
    Duration lock = lockTimeout;
    Claim claim =
        new Claim(announced ? floor : Instant.MIN, lane.grace(), limit, lane.token(), lock);
    Seen<T> seen = Undisturbed.call(() -> store.claim(claim));
    long useless = System.nanoTime() + lock.dividedBy(2).toNanos();
    List<Claimed<T>> items = seen.items();
    if (!items.isEmpty()) {
      clock.answered(items.getFirst().now());
      lane.lockedUntil(System.nanoTime() + lock.toNanos());
    } else if (announced && seen.exhausted()) {
      lane.sawNothing();
    }
    lane.floor().read(seen.contended() ? floor : highest(items, floor));
    return new Batch<>(
        items.stream().map(item -> held(item, useless)).toList(),
        seen.exhausted(),
        seen.contended());
  }

  private Held<T> held(Claimed<T> claimed, long useless) {
    boolean due = !claimed.visibleAt().isAfter(claimed.now());
    return new Held<>(
        claimed.item(), due ? System.nanoTime() : clock.monotonic(claimed.visibleAt()), useless);
  }

  private static <T> Instant highest(List<Claimed<T>> items, Instant floor) {
    Instant highest = floor;
    for (Claimed<T> item : items) {
      highest = item.visibleAt().isAfter(highest) ? item.visibleAt() : highest;
    }
    return highest;
  }
}
