package io.convoke.engine.sql;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: batches the calls of many threads into few transactions. While one batch commits
 * the next one gathers, so batches grow with the load and a lone caller does not wait. Where many
 * wait, several transactions run side by side.
 *
 * <p>It has no thread of its own: one waiting caller flushes for all (flat combining) and then
 * hands over to the first caller that still waits. A caller returns when its own input is durable,
 * or throws the exception of its own input: the inputs of a batch that Postgres rejects are
 * committed one by one.
 *
 * <p>A transaction may last until its connection is given up, a minute where the network carries
 * nothing any more. Callers who wait meanwhile go past it with a transaction of their own.
 */
public final class GroupCommit<I, O> {
  /** Commits a batch in one transaction and returns the result of each input, in their order. */
  public interface BatchFlush<I, O> {
    List<O> commit(List<I> batch);
  }

  /**
   * A transaction beside others begins with so many inputs: a batch of few costs the database
   * almost as much as a batch of many.
   */
  private static final int FLIGHT_MIN = 64;

  /** A transaction that takes so long is not waited for. */
  private static final Duration STUCK = Duration.ofSeconds(3);

  /** Transactions that may go past stuck ones. */
  private static final int PAST_STUCK_MAX = 4;

  private final int batchMax;
  private final int flightsMax;
  private final BatchFlush<I, O> batchFlush;
  private final long stuckNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<GroupCommitEntry<I, O>> queue = new ArrayDeque<>();
  private int flights;

  /** When a transaction last began or ended. */
  private long moved = System.nanoTime();

  /** One caller with its input and its result. */
  private static final class GroupCommitEntry<I, O> {
    private final I input;
    private final Thread caller = Thread.currentThread();
    private @Nullable O output;
    private @Nullable RuntimeException failure;
    private volatile boolean leads;
    private volatile boolean done;

    private GroupCommitEntry(I input) {
      this.input = input;
    }
  }

  /**
   * A group commit without callers.
   *
   * @param batchMax inputs of one transaction
   * @param flightsMax concurrent transactions
   */
  public GroupCommit(int batchMax, int flightsMax, BatchFlush<I, O> batchFlush) {
    this(batchMax, flightsMax, STUCK, batchFlush);
  }

  /** The same with another time after which a transaction is not waited for. */
  GroupCommit(int batchMax, int flightsMax, Duration stuck, BatchFlush<I, O> batchFlush) {
    this.stuckNanos = stuck.toNanos();
    this.batchMax = batchMax;
    this.flightsMax = flightsMax;
    this.batchFlush = batchFlush;
  }

  /** Returns when the input is durable. An interrupt takes effect afterwards. */
  public O submit(I input) {
    GroupCommitEntry<I, O> groupCommitEntry = new GroupCommitEntry<>(input);
    boolean interrupted = false;
    boolean leads = enter(groupCommitEntry);
    while (!groupCommitEntry.done) {
      if (leads || groupCommitEntry.leads) {
        leads = false;
        groupCommitEntry.leads = false;
        flushOne();
      } else {
        LockSupport.parkNanos(this, stuckNanos);
        interrupted |= Thread.interrupted();
        leads = goesPast(groupCommitEntry);
      }
    }
    if (groupCommitEntry.leads) {
      handOn();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (groupCommitEntry.failure != null) {
      throw groupCommitEntry.failure;
    }
    @Nullable O output = groupCommitEntry.output;
    if (output == null) {
      throw new IllegalStateException("a flush returned no result for an input");
    }
    return output;
  }

  /** Inputs that are in no transaction yet. */
  int waiting() {
    lock.lock();
    try {
      return queue.size();
    } finally {
      lock.unlock();
    }
  }

  /** Queues the entry; true if its caller flushes. */
  private boolean enter(GroupCommitEntry<I, O> groupCommitEntry) {
    lock.lock();
    try {
      queue.addLast(groupCommitEntry);
      if (flights >= flightsMax || (flights > 0 && queue.size() < FLIGHT_MIN)) {
        return false;
      }
      flights++;
      moved = System.nanoTime();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a waiting caller begins a transaction beside ones that seem to be stuck. */
  private boolean goesPast(GroupCommitEntry<I, O> groupCommitEntry) {
    lock.lock();
    try {
      if (System.nanoTime() - moved < stuckNanos
          || flights == flightsMax + PAST_STUCK_MAX
          || groupCommitEntry.leads
          || !queue.contains(groupCommitEntry)) {
        return false;
      }
      flights++;
      moved = System.nanoTime();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void flushOne() {
    List<GroupCommitEntry<I, O>> batch = new ArrayList<>();
    lock.lock();
    try {
      while (batch.size() < batchMax && !queue.isEmpty()) {
        batch.add(queue.removeFirst());
      }
    } finally {
      lock.unlock();
    }
    try {
      if (!batch.isEmpty()) {
        commit(batch);
      }
    } finally {
      handOn();
      batch.forEach(GroupCommit::release);
    }
  }

  /** Lets the first waiting caller that does not flush yet flush next, or ends this transaction. */
  private void handOn() {
    lock.lock();
    try {
      moved = System.nanoTime();
      for (GroupCommitEntry<I, O> next : queue) {
        if (!next.leads) {
          next.leads = true;
          LockSupport.unpark(next.caller);
          return;
        }
      }
      flights--;
    } finally {
      lock.unlock();
    }
  }

  private void commit(List<GroupCommitEntry<I, O>> batch) {
    try {
      List<I> inputs = batch.stream().map(groupCommitEntry -> groupCommitEntry.input).toList();
      List<O> outputs = Uninterruptible.call(() -> batchFlush.commit(inputs));
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).output = outputs.get(i);
      }
    } catch (SqlFailure e) {
      if (batch.size() == 1) {
        batch.getFirst().failure = e;
      } else {
        batch.forEach(groupCommitEntry -> commit(List.of(groupCommitEntry)));
      }
    } catch (RuntimeException e) {
      batch.forEach(groupCommitEntry -> groupCommitEntry.failure = e);
    } catch (Error e) {
      batch.forEach(
          groupCommitEntry ->
              groupCommitEntry.failure = new IllegalStateException("a flush failed", e));
    }
  }

  private static void release(GroupCommitEntry<?, ?> groupCommitEntry) {
    groupCommitEntry.done = true;
    if (!groupCommitEntry.caller.equals(Thread.currentThread())) {
      LockSupport.unpark(groupCommitEntry.caller);
    }
  }
}
