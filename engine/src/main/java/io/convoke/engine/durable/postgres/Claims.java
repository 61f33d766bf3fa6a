package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.ClaimBuffer.Batch;
import io.convoke.engine.durable.postgres.ClaimBuffer.Held;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Undisturbed;
import io.convoke.engine.wake.Attempt;
import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claims of one queue: from the floor up, into the buffer, with the store's clock. */
final class Claims<T> {
  /** The statements. */
  interface Store<T> {
    Seen<T> claim(Claim claim);

    /**
     * Gives items back as they were, and answers from when on one of them may be claimed; nothing
     * if all were lost meanwhile.
     */
    Optional<Instant> giveBack(List<T> items);

    /** Frees whatever is locked under a token. */
    void free(String token);
  }

  /** What the statement answered. */
  record Seen<T>(List<Claimed<T>> items, boolean exhausted, boolean contended) {}

  private static final Logger log = LoggerFactory.getLogger(Claims.class);
  private static final Duration STALE_AFTER = Duration.ofMillis(250);

  private final Store<T> store;
  private final StoreClock clock;
  private final Lane lane;
  private final ClaimBuffer<T> buffer;
  private final AtomicLong count = new AtomicLong();
  private final AtomicBoolean checks = new AtomicBoolean();
  private final Queue<String> orphans = new ConcurrentLinkedQueue<>();
  private volatile Duration lockTimeout = Duration.ofSeconds(30);

  Claims(Store<T> store, StoreClock clock, Lane lane, int limitMax) {
    this.store = store;
    this.clock = clock;
    this.lane = lane;
    this.buffer =
        new ClaimBuffer<>(this::claim, lane.channel(), limitMax, lane::announced, lane::wakeAt);
  }

  /**
   * Writes work and hands over to waiting dispatchers what of it was locked for them.
   *
   * @param wanted so many items at most
   * @param write commits
   */
  <R> R under(int wanted, Function<Grant, R> write, Function<R, Written<T>> written) {
    Grant grant = grant(wanted);
    boolean committed = false;
    try {
      R result = write.apply(grant);
      committed = true;
      hand(grant, written.apply(result).handed());
      return result;
    } finally {
      if (!committed) {
        lose(grant);
      }
    }
  }

  private Grant grant(int wanted) {
    int count = buffer.promise(wanted);
    return count == 0 ? Grant.NONE : new Grant(lane.token(), count, lockTimeout);
  }

  private void hand(Grant grant, List<Claimed<T>> items) {
    if (grant.count() > 0) {
      long now = System.nanoTime();
      long useless = now + grant.lock().dividedBy(2).toNanos();
      if (!items.isEmpty()) {
        lane.locked(now + grant.lock().toNanos());
      }
      buffer.hand(
          grant.count(),
          items.stream().map(item -> new Held<>(item.item(), now, useless)).toList());
      if (!items.isEmpty()) {
        giveBackLater();
      }
    }
  }

  /** A commit failed and may have happened all the same: then nobody holds what it locked. */
  private void lose(Grant grant) {
    if (grant.count() > 0) {
      boolean _ = orphans.add(grant.token());
      buffer.hand(grant.count(), List.of());
      boolean _ = lane.channel().announce();
    }
  }

  Attempt<T> take(Duration lock) {
    lockTimeout = lock;
    return buffer.take();
  }

  /** Claims nothing: the first real claim finds its statement planned and its way known. */
  void rehearse() {
    Seen<T> _ = store.claim(new Claim(Instant.MIN, Duration.ZERO, 0, "", Duration.ZERO));
  }

  Lane lane() {
    return lane;
  }

  /** Gives back everything that no dispatcher has. */
  void giveBackAll() {
    giveBack(buffer.drain());
  }

  private void giveBack(List<T> items) {
    if (!items.isEmpty()) {
      // No lower than they lie: a claim from there steps over the dead rows in between.
      store.giveBack(items).ifPresent(lane::wrote);
    }
  }

  /** What was claimed for dispatchers that got something else to do must not wait for them. */
  private void giveBackLater() {
    if (checks.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(
              STALE_AFTER.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
          .execute(this::giveBackStale);
    }
  }

  private void giveBackStale() {
    checks.set(false);
    try {
      giveBack(buffer.stale(STALE_AFTER));
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("locks of items that nobody could do will end: {}", e.getMessage());
    }
    if (!buffer.isEmpty()) {
      giveBackLater();
    }
  }

  /** Statements so far. */
  long count() {
    return count.get();
  }

  private Batch<T> claim(int limit) {
    freeOrphans();
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
      giveBackLater();
    } else if (announced && seen.exhausted()) {
      lane.sawNothing();
    }
    lane.floor().read(seen.contended() ? floor : highest(items, floor));
    return new Batch<>(
        items.stream().map(item -> held(item, useless)).toList(),
        seen.exhausted(),
        seen.contended());
  }

  private void freeOrphans() {
    for (String token = orphans.peek(); token != null; token = orphans.peek()) {
      store.free(token);
      boolean _ = orphans.remove(token);
      lane.floor().forget();
    }
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
