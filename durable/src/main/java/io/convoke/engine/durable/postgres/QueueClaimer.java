package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.ClaimBuffer.BufferedItem;
import io.convoke.engine.durable.postgres.ClaimBuffer.ClaimBatch;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Uninterruptible;
import io.convoke.engine.wake.PollResult;
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
final class QueueClaimer<T> {
  /** The statements. */
  interface ClaimStatements<T> {
    ClaimStatementResult<T> claim(ClaimRequest claimRequest);

    /**
     * Gives items back as they were, and answers from when on one of them may be claimed; nothing
     * if all were lost meanwhile.
     */
    Optional<Instant> release(List<T> items);

    /** Frees whatever is locked under a token. */
    void free(String token);
  }

  /** What the statement answered. */
  record ClaimStatementResult<T>(
      List<ClaimedItem<T>> items, boolean exhausted, boolean contended) {}

  private static final Logger log = LoggerFactory.getLogger(QueueClaimer.class);
  private static final Duration STALE_AFTER = Duration.ofMillis(250);

  private final ClaimStatements<T> claimStatements;
  private final StoreClock clock;
  private final QueueHandle queueHandle;
  private final ClaimBuffer<T> buffer;
  private final AtomicLong count = new AtomicLong();
  private final AtomicBoolean checks = new AtomicBoolean();
  private final Queue<String> orphans = new ConcurrentLinkedQueue<>();
  private volatile Duration lockTimeout = Duration.ofSeconds(30);

  QueueClaimer(
      ClaimStatements<T> claimStatements, StoreClock clock, QueueHandle queueHandle, int limitMax) {
    this.claimStatements = claimStatements;
    this.clock = clock;
    this.queueHandle = queueHandle;
    this.buffer =
        new ClaimBuffer<>(
            this::claim,
            queueHandle.channel(),
            limitMax,
            queueHandle::announced,
            queueHandle::wakeAt);
  }

  /**
   * Writes work and hands over to waiting dispatchers what of it was locked for them.
   *
   * @param wanted so many items at most
   * @param write commits
   */
  <R> R under(int wanted, Function<Handoff, R> write, Function<R, InsertResult<T>> written) {
    Handoff handoff = grant(wanted);
    boolean committed = false;
    try {
      R result = write.apply(handoff);
      committed = true;
      hand(handoff, written.apply(result).handed());
      return result;
    } finally {
      if (!committed) {
        lose(handoff);
      }
    }
  }

  private Handoff grant(int wanted) {
    int count = buffer.promise(wanted);
    return count == 0 ? Handoff.NONE : new Handoff(queueHandle.token(), count, lockTimeout);
  }

  private void hand(Handoff handoff, List<ClaimedItem<T>> items) {
    if (handoff.count() > 0) {
      long now = System.nanoTime();
      long useless = now + handoff.lock().dividedBy(2).toNanos();
      if (!items.isEmpty()) {
        queueHandle.locked(now + handoff.lock().toNanos());
      }
      buffer.hand(
          handoff.count(),
          items.stream().map(item -> new BufferedItem<>(item.item(), now, useless)).toList());
      if (!items.isEmpty()) {
        giveBackLater();
      }
    }
  }

  /** A commit failed and may have happened all the same: then nobody holds what it locked. */
  private void lose(Handoff handoff) {
    if (handoff.count() > 0) {
      boolean _ = orphans.add(handoff.token());
      buffer.hand(handoff.count(), List.of());
      boolean _ = queueHandle.channel().announce();
    }
  }

  PollResult<T> claimNext(Duration lock) {
    lockTimeout = lock;
    return buffer.claim();
  }

  /** Claims nothing: the first real claim finds its statement planned and its way known. */
  void rehearse() {
    ClaimStatementResult<T> _ =
        claimStatements.claim(new ClaimRequest(Instant.MIN, Duration.ZERO, 0, "", Duration.ZERO));
  }

  QueueHandle lane() {
    return queueHandle;
  }

  /** Gives back everything that no dispatcher has. */
  void releaseAll() {
    giveBack(buffer.drain());
  }

  private void giveBack(List<T> items) {
    if (!items.isEmpty()) {
      // No lower than they lie: a claim from there steps over the dead rows in between.
      claimStatements.release(items).ifPresent(queueHandle::wrote);
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

  private ClaimBatch<T> claim(int limit) {
    freeOrphans();
    long _ = count.incrementAndGet();
    boolean announced = queueHandle.announced();
    Instant floor = queueHandle.floor().begin();
    Duration lock = lockTimeout;
    ClaimRequest claimRequest =
        new ClaimRequest(
            announced ? floor : Instant.MIN, queueHandle.grace(), limit, queueHandle.token(), lock);
    ClaimStatementResult<T> claimStatementResult =
        Uninterruptible.call(() -> claimStatements.claim(claimRequest));
    long useless = System.nanoTime() + lock.dividedBy(2).toNanos();
    List<ClaimedItem<T>> items = claimStatementResult.items();
    if (!items.isEmpty()) {
      clock.answered(items.getFirst().now());
      queueHandle.lockedUntil(System.nanoTime() + lock.toNanos());
      giveBackLater();
    } else if (announced && claimStatementResult.exhausted()) {
      queueHandle.sawNothing();
    }
    queueHandle.floor().read(claimStatementResult.contended() ? floor : highest(items, floor));
    return new ClaimBatch<>(
        items.stream().map(item -> held(item, useless)).toList(),
        claimStatementResult.exhausted(),
        claimStatementResult.contended());
  }

  private void freeOrphans() {
    for (String token = orphans.peek(); token != null; token = orphans.peek()) {
      claimStatements.free(token);
      boolean _ = orphans.remove(token);
      queueHandle.floor().reset();
    }
  }

  private BufferedItem<T> held(ClaimedItem<T> claimedItem, long useless) {
    boolean due = !claimedItem.visibleAt().isAfter(claimedItem.now());
    return new BufferedItem<>(
        claimedItem.item(),
        due ? System.nanoTime() : clock.monotonic(claimedItem.visibleAt()),
        useless);
  }

  private static <T> Instant highest(List<ClaimedItem<T>> items, Instant floor) {
    Instant highest = floor;
    for (ClaimedItem<T> item : items) {
      highest = item.visibleAt().isAfter(highest) ? item.visibleAt() : highest;
    }
    return highest;
  }
}
