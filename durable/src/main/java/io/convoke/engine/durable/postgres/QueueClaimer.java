package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.ClaimBuffer.BufferedItem;
import io.convoke.engine.durable.postgres.ClaimBuffer.ClaimBatch;
import io.convoke.engine.durable.postgres.QueueSnapshot.QueueKind;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Uninterruptible;
import io.convoke.engine.wake.PollResult;
import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
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

/**
 * Claims of one queue, or of one pool of the worker queue: into the buffer, from the watermark up,
 * by the store's clock.
 */
final class QueueClaimer<T> {
  /** The statements of a queue's claims. */
  interface ClaimStatements<T> {
    ClaimedItems<T> claim(ClaimRequest claimRequest);

    /**
     * Releases claimed items, and returns from when on one of them may be claimed; empty if all
     * locks were lost meanwhile.
     */
    Optional<Instant> releaseClaimed(List<T> items);
  }

  /**
   * The parameters of a claim.
   *
   * @param pool of the worker queue
   * @param from where to begin in the order of visibility; {@link Instant#MIN} reads all
   * @param grace how far into the future items are claimed early
   * @param token written into every row that is locked
   */
  record ClaimRequest(
      String pool, Instant from, Duration grace, int limit, String token, Duration lock) {
    /** The beginning as a parameter of a statement. */
    OffsetDateTime fromParameter() {
      return from.isAfter(Instant.EPOCH) ? from.atOffset(ZoneOffset.UTC) : OffsetDateTime.MIN;
    }
  }

  /**
   * An item with its lock.
   *
   * @param visibleAt when it may be handed out; a little ahead if it was claimed early
   * @param now the store's time at the claim
   */
  record ClaimedItem<T>(T item, Instant visibleAt, Instant now) {}

  /**
   * The result of a claim.
   *
   * @param exhausted whether it saw all claimable items
   * @param contended whether other nodes took everything that it saw
   */
  record ClaimedItems<T>(List<ClaimedItem<T>> items, boolean exhausted, boolean contended) {}

  /**
   * The number of items that an insert locks for waiting dispatchers of this node.
   *
   * @param token of the locks
   */
  record Handoff(String token, int count, Duration lock) {
    static final Handoff NONE = new Handoff("", 0, Duration.ZERO);
  }

  /**
   * The result of an insert into a queue.
   *
   * @param earliest the earliest visible_at of the unlocked items
   * @param handed the items locked for this node, in the order of their insert
   */
  record InsertResult<T>(Optional<Instant> earliest, List<ClaimedItem<T>> handed) {
    static <T> InsertResult<T> none() {
      return new InsertResult<>(Optional.empty(), List.of());
    }
  }

  private static final Logger log = LoggerFactory.getLogger(QueueClaimer.class);
  private static final Duration STALE_AFTER = Duration.ofMillis(250);

  private final ClaimStatements<T> claimStatements;
  private final StoreClock clock;
  private final QueueNotifier notifier;
  private final QueueKind queueKind;
  private final String pool;
  private final QueueSignals signals;
  private final ClaimBuffer<T> buffer;
  private final AtomicLong count = new AtomicLong();
  private final AtomicBoolean releaseScheduled = new AtomicBoolean();

  /** Tokens of handoffs whose commit may have happened although it failed. */
  private final Queue<String> orphans = new ConcurrentLinkedQueue<>();

  private volatile Duration lockTimeout = Duration.ofSeconds(30);

  QueueClaimer(
      ClaimStatements<T> claimStatements,
      StoreClock clock,
      QueueNotifier notifier,
      QueueKind queueKind,
      String pool,
      int limitMax) {
    this.claimStatements = claimStatements;
    this.clock = clock;
    this.notifier = notifier;
    this.queueKind = queueKind;
    this.pool = pool;
    this.signals = notifier.queue(queueKind, pool);
    this.buffer =
        new ClaimBuffer<>(
            this::claim, signals.channel(), limitMax, notifier::announced, signals::wakeAt);
  }

  /**
   * Commits an insert, and hands the items that it locked to waiting dispatchers.
   *
   * @param atMost items that it inserts
   * @param commit commits the insert
   */
  <R> R handingOver(
      int atMost, Function<Handoff, R> commit, Function<R, InsertResult<T>> inserted) {
    Handoff handoff = promise(atMost);
    boolean committed = false;
    try {
      R result = commit.apply(handoff);
      committed = true;
      hand(handoff, inserted.apply(result).handed());
      return result;
    } finally {
      if (!committed) {
        cancel(handoff);
      }
    }
  }

  /** Promises items to waiting dispatchers; {@link #hand} or {@link #cancel} must follow. */
  Handoff promise(int atMost) {
    int promised = buffer.promise(atMost);
    return promised == 0 ? Handoff.NONE : new Handoff(notifier.token(), promised, lockTimeout);
  }

  /** After the commit: hands over the items that were locked under the promise. */
  void hand(Handoff handoff, List<ClaimedItem<T>> items) {
    if (handoff.count > 0) {
      long now = System.nanoTime();
      long useless = now + handoff.lock.dividedBy(2).toNanos();
      if (!items.isEmpty()) {
        notifier.lockedByInsert(now + handoff.lock.toNanos());
      }
      buffer.hand(
          handoff.count,
          items.stream().map(item -> new BufferedItem<>(item.item(), now, useless)).toList());
      if (!items.isEmpty()) {
        scheduleRelease();
      }
    }
  }

  /** After a failed commit, which may have happened: its locks have no holder. */
  void cancel(Handoff handoff) {
    if (handoff.count > 0) {
      boolean _ = orphans.add(handoff.token);
      buffer.hand(handoff.count, List.of());
      boolean _ = signals.channel().announce();
    }
  }

  /**
   * Takes an item for a dispatcher: waits for one, or with long polling disabled claims once.
   *
   * @param lock the timeout of its lock
   * @param poll how long to wait
   */
  Optional<T> fetch(Duration lock, Duration poll) throws InterruptedException {
    if (notifier.enabled()) {
      return signals.chain().fetch(() -> claimOne(lock), poll);
    }
    return claimOne(lock) instanceof PollResult.WorkFound<T> found
        ? Optional.of(found.work())
        : Optional.empty();
  }

  /** From now on no dispatcher waits for an item. */
  void endWaits() {
    signals.channel().close();
  }

  private PollResult<T> claimOne(Duration lock) {
    lockTimeout = lock;
    return buffer.claim();
  }

  /** Claims no item, so that the first real claim finds its statement planned. */
  void warmUp() {
    ClaimedItems<T> _ =
        claimStatements.claim(
            new ClaimRequest(pool, Instant.MIN, Duration.ZERO, 0, "", Duration.ZERO));
  }

  /** An item of the queue may be claimed from an instant on: wakes dispatchers of all nodes. */
  void announce(Instant visibleAt) {
    notifier.wrote(queueKind, visibleAt);
  }

  /** The same for an item that this node cannot run: its own dispatchers look for it later. */
  void announceToOthers(Instant visibleAt) {
    notifier.left(queueKind, visibleAt);
  }

  /** Releases all items that no dispatcher has taken. */
  void releaseAll() {
    release(buffer.drain());
  }

  private void release(List<T> items) {
    if (!items.isEmpty()) {
      // Announced from where they lie: a claim from there skips the dead rows below.
      claimStatements.releaseClaimed(items).ifPresent(this::announce);
    }
  }

  /** Releases items whose dispatchers took other work, so that another node can claim them. */
  private void scheduleRelease() {
    if (releaseScheduled.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(
              STALE_AFTER.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread)
          .execute(this::releaseStale);
    }
  }

  private void releaseStale() {
    releaseScheduled.set(false);
    try {
      release(buffer.stale(STALE_AFTER));
    } catch (StoreUnavailable | SqlFailure e) {
      log.debug("items were not released, their locks will expire: {}", e.getMessage());
    }
    if (!buffer.isEmpty()) {
      scheduleRelease();
    }
  }

  /** Dispatchers that wait for a token now. */
  int waiting() {
    return signals.channel().waiting();
  }

  /** Tokens sent so far. */
  long tokens() {
    return signals.channel().sent();
  }

  /** Claim statements so far. */
  long count() {
    return count.get();
  }

  private ClaimBatch<T> claim(int limit) {
    freeOrphans();
    long _ = count.incrementAndGet();
    boolean announced = notifier.announced();
    Instant from = signals.watermark().begin();
    Duration lock = lockTimeout;
    ClaimRequest claimRequest =
        new ClaimRequest(
            pool, announced ? from : Instant.MIN, signals.grace(), limit, notifier.token(), lock);
    ClaimedItems<T> claimed = Uninterruptible.call(() -> claimStatements.claim(claimRequest));
    long useless = System.nanoTime() + lock.dividedBy(2).toNanos();
    List<ClaimedItem<T>> items = claimed.items;
    if (!items.isEmpty()) {
      clock.answered(items.getFirst().now);
      notifier.lockedUntil(System.nanoTime() + lock.toNanos());
      scheduleRelease();
    } else if (announced && claimed.exhausted) {
      notifier.othersMayHoldLocks();
    }
    signals.watermark().read(claimed.contended ? from : highest(items, from));
    return new ClaimBatch<>(
        items.stream().map(item -> buffered(item, useless)).toList(),
        claimed.exhausted,
        claimed.contended);
  }

  private void freeOrphans() {
    for (String token = orphans.peek(); token != null; token = orphans.peek()) {
      notifier.free(token);
      boolean _ = orphans.remove(token);
      signals.watermark().reset();
    }
  }

  private BufferedItem<T> buffered(ClaimedItem<T> claimed, long useless) {
    boolean due = !claimed.visibleAt.isAfter(claimed.now);
    return new BufferedItem<>(
        claimed.item, due ? System.nanoTime() : clock.monotonic(claimed.visibleAt), useless);
  }

  private static <T> Instant highest(List<ClaimedItem<T>> items, Instant from) {
    Instant highest = from;
    for (ClaimedItem<T> item : items) {
      highest = item.visibleAt.isAfter(highest) ? item.visibleAt : highest;
    }
    return highest;
  }
}
