package io.convoke.server.sync;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
 * Reads keys of Redis for many callers with one command. While one command is on its way the next
 * callers gather, so under load many share a round trip and a lone caller waits for nobody. A
 * caller is always served by a command that was sent after it came: nobody gets an answer from
 * before the question.
 *
 * <p>Callers wait without a time limit of their own, because each timed wait of a virtual thread
 * wakes the scheduler's timer twice; one clock for all of them ends what takes too long.
 */
final class SharedLooks {
  /** Keys of one command; bounds how long Redis is busy with it. */
  private static final int BATCH_MAX = 1_000;

  private final Redis redis;
  private final String always;
  private final Duration patience;
  private final Runnable trouble;
  private final Executor later;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Batch> waiting = new ArrayDeque<>();
  private @Nullable Batch underWay;
  private final AtomicBoolean watching = new AtomicBoolean();

  /**
   * A gathering point.
   *
   * @param always a key that every command reads too
   * @param patience after which a command counts as lost
   * @param trouble told when a command was late or failed; must not block
   */
  SharedLooks(Redis redis, String always, Duration patience, Runnable trouble) {
    this.redis = redis;
    this.always = always;
    this.patience = patience;
    this.trouble = trouble;
    this.later = CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * What one command saw.
   *
   * @param values by key; a key that has none is not here
   * @param way the connection that was looked through; empty if Redis was away or late
   */
  record Seen(Map<String, String> values, Optional<Object> way) {
    static final Seen NOTHING = new Seen(Map.of(), Optional.empty());
  }

  /** The keys of one command and what comes of it. */
  private static final class Batch {
    private final Set<String> keys = new LinkedHashSet<>();
    private final CompletableFuture<Seen> seen = new CompletableFuture<>();
    private volatile long sentAt;
  }

  /** Waits for what Redis holds under these keys, among others. */
  Seen look(Collection<String> keys) {
    Batch batch = join(keys);
    sendNext();
    try {
      return batch.seen.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a look never fails", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Seen.NOTHING;
    }
  }

  /** Keys that wait for a command of their own. */
  int waiting() {
    lock.lock();
    try {
      return waiting.stream().mapToInt(batch -> batch.keys.size()).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a command is on its way. */
  boolean sent() {
    return onItsWay().isPresent();
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
    batch.keys.add(always);
    try {
      RedisAsyncCommands<String, String> commands = redis.async();
      var _ =
          commands
              .mget(batch.keys.toArray(String[]::new))
              .whenComplete(
                  (values, error) -> {
                    if (error != null) {
                      trouble.run();
                    }
                    end(batch, error == null ? seen(values, commands) : Seen.NOTHING);
                  });
      watch();
    } catch (RedisUnavailable | RedisException away) {
      end(batch, Seen.NOTHING);
    }
  }

  /** The next command leaves before those wake whom this one served. */
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

  /** Ends a command that takes too long; looks again as long as there is one. */
  private void check() {
    watching.set(false);
    Optional<Batch> now = onItsWay();
    if (now.isEmpty()) {
      return;
    }
    long left = patience.toNanos() - (System.nanoTime() - now.get().sentAt);
    if (left <= 0) {
      trouble.run();
      end(now.get(), Seen.NOTHING);
    } else if (watching.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS).execute(this::check);
    }
  }

  private Optional<Batch> onItsWay() {
    lock.lock();
    try {
      return Optional.ofNullable(underWay);
    } finally {
      lock.unlock();
    }
  }

  private static Seen seen(List<KeyValue<String, String>> answer, Object way) {
    Map<String, String> values = HashMap.newHashMap(answer.size());
    for (KeyValue<String, String> one : answer) {
      if (one.hasValue()) {
        values.put(one.getKey(), one.getValue());
      }
    }
    return new Seen(values, Optional.of(way));
  }
}
