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
 * Claims for all dispatchers of a node at once. Whoever asks first claims as many items as there
 * are dispatchers without work, takes one and hands the others out; so a claim costs one statement,
 * whatever it brings, and nothing is claimed that nobody is free to do.
 *
 * <p>What was claimed a little before its time waits here until it is due.
 *
 * <p>While dispatchers wait, whoever writes new work may promise it to them, lock it where it is
 * written and hand it over after the commit: then nobody claims.
 */
final class ClaimBuffer<T> {
  /** Claims up to a number of items in the store. */
  interface ClaimSource<T> {
    ClaimBatch<T> claim(int limit);
  }

  /**
   * What a claim brought.
   *
   * @param exhausted whether it saw all there was
   * @param contended whether others took everything that it saw
   */
  record ClaimBatch<T>(List<BufferedItem<T>> items, boolean exhausted, boolean contended) {}

  /** A claimed item: handed out from {@code due} on, and not after {@code useless}. */
  record BufferedItem<T>(T item, long due, long useless) {}

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

  /** What had been announced before a claim that took all there was. */
  private volatile long exhaustedAt = NONE;

  /** Work that is being written for dispatchers that wait. */
  private int promised;

  /**
   * An empty buffer.
   *
   * @param announced whether everything new is announced now, so that "nothing left" holds until
   *     the next announcement
   * @param wakeAt asks for a token at an instant of the monotonic clock
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
   * another's claim, and answers how much of it; {@link #hand} must follow. With a backlog in the
   * store nobody waits for long, so little overtakes it. A claim on its way may bring work for the
   * same dispatchers: what they do not get to is given back.
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

  /** Keeps a promise, or takes back what of it has come to nothing. */
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

  /** Takes out what was due that long ago and still has nobody to do it. */
  List<T> stale(Duration age) {
    lock.lock();
    try {
      long now = System.nanoTime();
      List<T> left = new ArrayList<>();
      while (!items.isEmpty() && now - items.element().due >= age.toNanos()) {
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

  /** Takes out everything, for giving it back. */
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
   * Keeps what was claimed, with a token for each item but the one that its claimer takes. The
   * claimer takes it before anybody else can: with nothing to show for its claim it would claim
   * again, and wake another for what is being done already.
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
        if (bufferedItem.due - now <= 0) {
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
    // Who is hungry comes by anyway, one after the other; who waits must be woken.
    int others = Math.max(0, due - hungry.get());
    if (others > 0) {
      int _ = channel.send(others);
    }
    return own;
  }

  /** Takes what is due; there is more if the buffer or, as far as is known, the store has some. */
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
    while (!items.isEmpty() && items.element().due - now <= 0) {
      BufferedItem<T> bufferedItem = items.remove();
      if (bufferedItem.useless - now > 0) {
        boolean moreHere = !items.isEmpty() && items.element().due - now <= 0;
        return Optional.of(new PollResult.WorkFound<>(bufferedItem.item, moreHere || moreInStore));
      }
    }
    return Optional.empty();
  }
}
