package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.PollResult;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Claims for all idle dispatchers of a node in one statement. The first dispatcher to need work
 * claims as many items as there are idle dispatchers, takes one and hands out the others; so no
 * item is claimed without a free dispatcher.
 *
 * <p>Items that were claimed a little early wait here until they are due.
 *
 * <p>While dispatchers wait, a writer of new work may promise it to them, lock it in the statement
 * that inserts it, and hand it over after the commit; that saves the claim.
 */
final class ClaimBuffer<T> {
  /** Claims up to a number of items in the store. */
  interface ClaimSource<T> {
    ClaimBatch<T> claim(int limit);
  }

  /**
   * The result of a claim.
   *
   * @param exhausted whether it saw all claimable items
   * @param contended whether other nodes took everything that it saw
   */
  record ClaimBatch<T>(List<BufferedItem<T>> items, boolean exhausted, boolean contended) {}

  /** A claimed item: handed out from {@code due} on, and no more from {@code useless} on. */
  record BufferedItem<T>(T item, long due, long useless) {
    boolean isDue(long now) {
      return due - now <= 0;
    }

    boolean isUseless(long now) {
      return useless - now <= 0;
    }
  }

  private static final long NONE = -1;

  private final ClaimSource<T> claimSource;
  private final WakeChannel channel;
  private final int limitMax;
  private final BooleanSupplier announced;
  private final LongConsumer wakeAt;

  private final AtomicInteger hungry = new AtomicInteger();
  private final ReentrantLock claiming = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final PriorityQueue<BufferedItem<T>> items =
      new PriorityQueue<>((one, other) -> Long.compare(one.due - other.due, 0));

  /** The count of announcements before the last claim that emptied the queue. */
  private volatile long exhaustedAt = NONE;

  /** Items that writers have promised to waiting dispatchers. */
  private int promised;

  /**
   * An empty buffer.
   *
   * @param announced whether all new work is announced now, so that an empty queue stays empty
   *     until the next announcement
   * @param wakeAt schedules a token at an instant of the monotonic clock
   */
  ClaimBuffer(
      ClaimSource<T> claimSource,
      WakeChannel channel,
      int limitMax,
      BooleanSupplier announced,
      LongConsumer wakeAt) {
    this.claimSource = claimSource;
    this.channel = channel;
    this.limitMax = limitMax;
    this.announced = announced;
    this.wakeAt = wakeAt;
  }

  /** Takes one item, claiming if there is none. */
  PollResult<T> claim() {
    Optional<PollResult<T>> ready = poll(false);
    if (ready.isPresent()) {
      return ready.get();
    }
    int _ = hungry.incrementAndGet();
    claiming.lock();
    try {
      return pollOrClaim();
    } finally {
      int _ = hungry.decrementAndGet();
      claiming.unlock();
    }
  }

  /**
   * Promises the work that its caller is about to write to dispatchers that wait for a token or for
   * another's claim, and returns how many items; {@link #hand} must follow. With a backlog in the
   * store dispatchers do not wait for long, so little overtakes it. A claim in flight may return
   * work for the same dispatchers: items they do not get to are released.
   */
  int promise(int wanted) {
    lock.lock();
    try {
      if (!announced.getAsBoolean()) {
        return 0;
      }
      int behind = Math.max(0, hungry.get() - 1);
      int count = Math.clamp((long) channel.idle() + behind - promised, 0, wanted);
      promised += count;
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Fulfils a promise with the items that were written, and cancels the rest. */
  void hand(int count, List<BufferedItem<T>> written) {
    lock.lock();
    try {
      promised -= count;
      boolean _ = items.addAll(written);
    } finally {
      lock.unlock();
    }
    if (!written.isEmpty()) {
      int _ = channel.send(written.size());
    }
  }

  /** Removes items that have been due for that long and that no dispatcher took. */
  List<T> stale(Duration age) {
    lock.lock();
    try {
      long then = System.nanoTime() - age.toNanos();
      List<T> left = new ArrayList<>();
      while (!items.isEmpty() && items.element().isDue(then)) {
        boolean _ = left.add(items.remove().item);
      }
      return left;
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    lock.lock();
    try {
      return items.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Removes all items, for their release. */
  List<T> drain() {
    lock.lock();
    try {
      List<T> left = items.stream().map(BufferedItem::item).toList();
      items.clear();
      return left;
    } finally {
      lock.unlock();
    }
  }

  private PollResult<T> pollOrClaim() {
    Optional<PollResult<T>> ready = poll(false);
    if (ready.isPresent()) {
      return ready.get();
    }
    long before = channel.announced();
    if (announced.getAsBoolean() && exhaustedAt == before) {
      return PollResult.empty();
    }
    int limit = Math.clamp(hungry.get() + (long) channel.waiting(), 1, limitMax);
    ClaimBatch<T> claimBatch = claimSource.claim(limit);
    boolean exhausted = claimBatch.exhausted && !claimBatch.contended;
    Optional<PollResult<T>> own = add(claimBatch.items, !exhausted);
    exhaustedAt = exhausted ? before : NONE;
    return own.orElse(exhausted ? PollResult.empty() : PollResult.contended());
  }

  /**
   * Buffers the claimed items, with a token for each item but the one that its claimer takes. The
   * claimer takes it before other dispatchers can: without an item it would claim again, and wake
   * another dispatcher for work that is already taken.
   */
  private Optional<PollResult<T>> add(List<BufferedItem<T>> claimed, boolean moreInStore) {
    long now = System.nanoTime();
    int due = 0;
    List<Long> later = new ArrayList<>();
    Optional<PollResult<T>> own;
    lock.lock();
    try {
      for (BufferedItem<T> bufferedItem : claimed) {
        boolean _ = items.add(bufferedItem);
        if (bufferedItem.isDue(now)) {
          due++;
        } else {
          later.add(bufferedItem.due);
        }
      }
      own = next(moreInStore);
    } finally {
      lock.unlock();
    }
    later.forEach(wakeAt::accept);
    // Dispatchers that queue for the claim lock poll next anyway; those that wait for a token must
    // be woken.
    int _ = channel.send(Math.max(0, due - hungry.get()));
    return own;
  }

  /** Takes a due item; it reports more work if the buffer has some or the store may have. */
  private Optional<PollResult<T>> poll(boolean moreInStore) {
    lock.lock();
    try {
      return next(moreInStore);
    } finally {
      lock.unlock();
    }
  }

  private Optional<PollResult<T>> next(boolean moreInStore) {
    long now = System.nanoTime();
    while (!items.isEmpty() && items.element().isDue(now)) {
      BufferedItem<T> bufferedItem = items.remove();
      if (!bufferedItem.isUseless(now)) {
        boolean moreHere = !items.isEmpty() && items.element().isDue(now);
        return Optional.of(new PollResult.WorkFound<>(bufferedItem.item, moreHere || moreInStore));
      }
    }
    return Optional.empty();
  }
}
