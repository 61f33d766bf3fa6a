package io.convoke.server.sync;

import io.convoke.engine.redis.RedisUnavailable;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Looks into Redis for many callers at once. While one look is on its way the next callers gather,
 * so under load many share a round trip and a lone caller waits for nobody. A caller is served by a
 * look that was sent after it came, unless the lease of an earlier one holds: nobody gets an answer
 * from before the question.
 *
 * <p>Callers wait without a time limit of their own, because each timed wait of a virtual thread
 * wakes the scheduler's timer twice; one clock for all of them ends what takes too long.
 */
final class SharedLooks {
  /** Keys of one look; bounds how long Redis is busy with it. */
  private static final int BATCH_MAX = 1_000;

  /** Looks for one caller: what changed while the first was on its way is read by the second. */
  private static final int LOOKS_MAX = 3;

  private final TrackedReads reads;
  private final Duration patience;
  private final Runnable trouble;
  private final Executor later;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Batch> waiting = new ArrayDeque<>();
  private volatile @Nullable Batch underWay;
  private final AtomicBoolean watching = new AtomicBoolean();

  /**
   * A gathering point.
   *
   * @param patience after which a look counts as lost
   * @param trouble told when a look was late or failed; must not block
   */
  SharedLooks(TrackedReads reads, Duration patience, Runnable trouble) {
    this.reads = reads;
    this.patience = patience;
    this.trouble = trouble;
    this.later = CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The keys of one look and what comes of it. */
  private static final class Batch {
    private final Set<String> keys = new LinkedHashSet<>();
    private final CompletableFuture<Seen> seen = new CompletableFuture<>();
    private volatile long sentAt;
  }

  /** What may be told of a key without a look. */
  Optional<TrackedReads.Told> told(String key) {
    Optional<TrackedReads.Told> told = reads.told(key);
    if (told.isPresent()) {
      renew();
    }
    return told;
  }

  /** What Redis holds under these keys, among others. */
  Seen look(Collection<String> keys) {
    Optional<Seen> told = reads.tellable(keys);
    if (told.isPresent()) {
      renew();
      return told.get();
    }
    Seen seen = Seen.NOTHING;
    for (int looks = 0; looks < LOOKS_MAX; looks++) {
      Batch batch = join(keys);
      sendNext();
      try {
        seen = batch.seen.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a look never fails", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Seen.NOTHING;
      }
      if (seen.answers(keys)) {
        return seen;
      }
    }
    return seen;
  }

  /** Keys that wait for a look of their own. */
  int waiting() {
    lock.lock();
    try {
      return waiting.stream().mapToInt(batch -> batch.keys.size()).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a look is on its way. */
  boolean sent() {
    return underWay != null;
  }

  /** Whoever lives on a lease that ages sends a look for those who come after it. */
  private void renew() {
    if (underWay == null && reads.ages()) {
      Batch _ = join(List.of());
      sendNext();
    }
  }

  private Batch join(Collection<String> keys) {
    lock.lock();
    try {
      Batch last = waiting.peekLast();
      if (last == null || last.keys.size() >= BATCH_MAX) {
        last = new Batch();
        waiting.addLast(last);
      }
      last.keys.addAll(keys);
      return last;
    } finally {
      lock.unlock();
    }
  }

  private void sendNext() {
    Batch next;
    lock.lock();
    try {
      if (underWay != null || waiting.isEmpty()) {
        return;
      }
      next = waiting.removeFirst();
      next.sentAt = System.nanoTime();
      underWay = next;
    } finally {
      lock.unlock();
    }
    send(next);
  }

  private void send(Batch batch) {
    try {
      var _ =
          reads
              .look(batch.keys)
              .whenComplete(
                  (seen, error) -> {
                    if (error != null) {
                      trouble.run();
                    }
                    end(batch, error == null ? seen : Seen.NOTHING);
                  });
      watch();
    } catch (RedisUnavailable | RedisException away) {
      end(batch, Seen.NOTHING);
    }
  }

  /** The next look leaves before those wake whom this one served. */
  @SuppressWarnings("ReferenceEquality") // this very batch, not one like it
  private void end(Batch batch, Seen seen) {
    lock.lock();
    try {
      if (underWay == batch) {
        underWay = null;
      }
    } finally {
      lock.unlock();
    }
    sendNext();
    boolean _ = batch.seen.complete(seen);
  }

  private void watch() {
    if (watching.compareAndSet(false, true)) {
      later.execute(this::check);
    }
  }

  /** Ends a look that takes too long; looks again as long as there is one. */
  private void check() {
    watching.set(false);
    Batch now = underWay;
    if (now == null) {
      return;
    }
    long left = patience.toNanos() - (System.nanoTime() - now.sentAt);
    if (left <= 0) {
      trouble.run();
      end(now, Seen.NOTHING);
    } else if (watching.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS).execute(this::check);
    }
  }
}
