package io.convoke.engine.lease;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.convoke.engine.signal.Signal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps all leases of a process alive. One thread orders them by the next thing due and sends the
 * renewals that fall together as one script call of up to {@value #BATCH_MAX} keys; answers arrive
 * on the connection's thread, so a slow Redis delays no deadline.
 *
 * <p>A lease is lost when Redis says that its token is gone, or when no renewal came through until
 * a tenth of its timeout before its end, counted on the monotonic clock from before the last good
 * renewal was sent. The holder is interrupted then, while the lock still keeps others out.
 */
public final class LeaseKeeper implements AutoCloseable {
  /** The counter behind all epochs of one store. */
  public static final String EPOCH_KEY = "convoke:epoch";

  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int BATCH_MAX = 500;
  private static final Duration RETRY = Duration.ofMillis(250);
  private static final Script ACQUIRE = Script.resource(LeaseKeeper.class, "acquire.lua");
  private static final Script RENEW = Script.resource(LeaseKeeper.class, "renew.lua");
  private static final Script RELEASE = Script.resource(LeaseKeeper.class, "release.lua");

  private final Redis redis;
  private final String owner;
  private final Counter renewals;
  private final Counter losses;
  private final AtomicLong ids = new AtomicLong();

  /** Guards everything below; never held while Redis is called or a holder is told. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final Map<Lease, Entry> entries = new HashMap<>();
  private final TreeSet<Entry> due =
      new TreeSet<>(Comparator.<Entry>comparingLong(e -> e.dueNanos).thenComparingLong(e -> e.id));
  private boolean closed;

  private final Signal<List<String>> renewed = new Signal<>();

  /** {@code owner} names this process in the lock's value, for who looks into Redis by hand. */
  public LeaseKeeper(Redis redis, String owner, MeterRegistry meters) {
    this.redis = redis;
    this.owner = owner;
    this.renewals = meters.counter("convoke.lease.renewals");
    this.losses = meters.counter("convoke.lease.losses");
    meters.gauge("convoke.lease.held", this, LeaseKeeper::count);
    Thread.ofPlatform().name("lease-keeper").daemon().start(this::run);
  }

  /**
   * Takes the lock if nobody holds it.
   *
   * @throws RedisUnavailable when Redis is away; whether the lock was taken is then unknown, and it
   *     expires by itself
   */
  public Optional<Lease> acquire(String key, LeaseTerms terms) {
    String token = newToken();
    long sent = System.nanoTime();
    Object epoch =
        redis.eval(
            ACQUIRE,
            List.of(key, EPOCH_KEY),
            List.of(token, Long.toString(terms.timeout().toMillis())));
    return epoch instanceof Long number && number > 0
        ? Optional.of(adopt(key, token, number, terms, sent))
        : Optional.empty();
  }

  /**
   * Keeps a lock that a feature's own script took with {@code SET key token NX PX timeout}.
   *
   * @param sentNanos {@link System#nanoTime()} from before the script was sent
   */
  public Lease adopt(String key, String token, long epoch, LeaseTerms terms, long sentNanos) {
    Lease lease = new Lease(this, key, token, epoch, terms);
    Entry entry = new Entry(ids.incrementAndGet(), lease);
    entry.renewedAt(sentNanos);
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the lease keeper is closed");
      }
      entries.put(lease, entry);
      due.add(entry);
      changed.signal();
    } finally {
      lock.unlock();
    }
    return lease;
  }

  /** A value for a lock that nobody else has: who, and which acquisition. */
  public String newToken() {
    return owner + ":" + UUID.randomUUID();
  }

  /** The keys of each renewal that came through. */
  public Signal<List<String>> renewed() {
    return renewed;
  }

  /** Releases what is still held and stops renewing. */
  @Override
  public void close() {
    List<Lease> held;
    lock.lock();
    try {
      closed = true;
      held = List.copyOf(entries.keySet());
      changed.signal();
    } finally {
      lock.unlock();
    }
    held.forEach(Lease::close);
  }

  void release(Lease lease) {
    forget(lease);
    try {
      Object _ = redis.eval(RELEASE, List.of(lease.key()), List.of(lease.token()));
    } catch (RedisUnavailable e) {
      log.debug("released {} while Redis is away; it expires by itself", lease.key());
    }
  }

  private double count() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      List<Entry> batch = new ArrayList<>();
      List<Entry> expired = new ArrayList<>();
      lock.lock();
      try {
        if (!awaitDue()) {
          return;
        }
        long now = System.nanoTime();
        while (batch.size() < BATCH_MAX && !due.isEmpty() && due.first().dueNanos - now <= 0) {
          Entry entry = due.removeFirst();
          if (entry.endNanos - now <= 0) {
            entries.remove(entry.lease);
            expired.add(entry);
          } else {
            entry.dueNanos = entry.endNanos;
            due.add(entry);
            batch.add(entry);
          }
        }
      } catch (InterruptedException e) {
        return;
      } finally {
        lock.unlock();
      }
      expired.forEach(this::lose);
      if (!batch.isEmpty()) {
        renew(batch);
      }
    }
  }

  /** Waits until something is due; false once the keeper is closed. */
  private boolean awaitDue() throws InterruptedException {
    while (!closed) {
      if (due.isEmpty()) {
        changed.await();
      } else {
        long wait = due.first().dueNanos - System.nanoTime();
        if (wait <= 0) {
          return true;
        }
        long _ = changed.awaitNanos(wait);
      }
    }
    return false;
  }

  private void renew(List<Entry> batch) {
    List<String> keys = new ArrayList<>(batch.size());
    List<String> args = new ArrayList<>(2 * batch.size());
    for (Entry entry : batch) {
      keys.add(entry.lease.key());
      args.add(entry.lease.token());
      args.add(Long.toString(entry.lease.terms().timeout().toMillis()));
    }
    long sent = System.nanoTime();
    var _ =
        redis
            .evalAsync(RENEW, keys, args)
            .whenComplete((answer, error) -> answered(batch, keys, sent, answer, error));
  }

  private void answered(
      List<Entry> batch,
      List<String> keys,
      long sent,
      @Nullable Object answer,
      @Nullable Throwable error) {
    if (error != null || !(answer instanceof List<?> kept)) {
      batch.forEach(entry -> reschedule(entry, System.nanoTime() + RETRY.toNanos()));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      Entry entry = batch.get(i);
      if (Long.valueOf(1).equals(kept.get(i))) {
        renewals.increment();
        extend(entry, sent);
      } else {
        forget(entry.lease);
        lose(entry);
      }
    }
    renewed.emit(keys);
  }

  private void extend(Entry entry, long sent) {
    change(entry, () -> entry.renewedAt(sent));
  }

  private void reschedule(Entry entry, long nanos) {
    change(entry, () -> entry.dueNanos = nanos - entry.endNanos < 0 ? nanos : entry.endNanos);
  }

  /** Changes a kept entry's times; an entry that was released or lost meanwhile stays forgotten. */
  private void change(Entry entry, Runnable change) {
    lock.lock();
    try {
      if (entries.containsKey(entry.lease)) {
        due.remove(entry);
        change.run();
        due.add(entry);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  void forget(Lease lease) {
    lock.lock();
    try {
      Entry entry = entries.remove(lease);
      if (entry != null) {
        due.remove(entry);
      }
    } finally {
      lock.unlock();
    }
  }

  private void lose(Entry entry) {
    losses.increment();
    log.warn("lost the lease on {}", entry.lease.key());
    entry.lease.lose();
  }

  /**
   * A lease with its times; mutable under the keeper's lock, and out of the set while it changes.
   */
  private static final class Entry {
    private final long id;
    private final Lease lease;
    private long dueNanos;
    private long endNanos;

    private Entry(long id, Lease lease) {
      this.id = id;
      this.lease = lease;
    }

    private void renewedAt(long sent) {
      LeaseTerms terms = lease.terms();
      endNanos = sent + terms.timeout().minus(terms.margin()).toNanos();
      dueNanos = sent + terms.interval().toNanos();
    }
  }
}
