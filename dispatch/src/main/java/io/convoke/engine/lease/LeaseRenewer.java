package io.convoke.engine.lease;

import io.convoke.engine.lease.Lease.LeaseEnding;
import io.convoke.engine.lease.RenewalSchedule.DueLeases;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps all leases of a process alive. One thread orders them by the next deadline and sends
 * renewals that are due together as one script call of up to {@value #BATCH_MAX} keys; answers
 * arrive on the connection's thread, so a slow Redis delays no deadline.
 *
 * <p>On a cluster a script holds locks of one slot only, so a batch becomes one call for each slot
 * that it has locks of; give locks that belong together one hash tag.
 *
 * <p>A lease is lost when Redis says that its token is gone, or when no renewal came through until
 * a tenth of its timeout before its end, counted on the monotonic clock from before the last good
 * renewal was sent. The holder is interrupted then, while the lock still keeps others out.
 */
public final class LeaseRenewer implements AutoCloseable {
  /** The counter behind all epochs of one store; on a cluster each slot has one, with its tag. */
  public static final String EPOCH_KEY = "convoke:epoch";

  private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);
  private static final int BATCH_MAX = 1000;

  private final RedisLeaseStore redisLeaseStore;
  private final Counter renewals;
  private final Counter losses;

  /** Guards the schedule; never held while Redis is called or a holder is notified. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final RenewalSchedule renewalSchedule = new RenewalSchedule();
  private boolean closed;

  /** Until when the thread waits; empty while it waits for a first lease. */
  private OptionalLong awaited = OptionalLong.empty();

  private final String tokens;
  private final AtomicLong acquisitions = new AtomicLong();
  private final TestSignal<List<String>> renewed = new TestSignal<>();
  private final TestSignal<List<String>> failed = new TestSignal<>();

  /** {@code owner} names this process in the lock's value, for operators who read Redis by hand. */
  public LeaseRenewer(Redis redis, String owner, MeterRegistry meters) {
    this.redisLeaseStore = new RedisLeaseStore(redis);
    this.tokens = owner + ":" + UUID.randomUUID() + ":";
    this.renewals = meters.counter("convoke.lease.renewals");
    this.losses = meters.counter("convoke.lease.losses");
    meters.gauge("convoke.lease.held", this, LeaseRenewer::count);
    Thread.ofPlatform().name("lease-keeper").daemon().start(this::run);
  }

  /**
   * Acquires the lock if it is free.
   *
   * @throws RedisUnavailable when Redis is away; if Redis took the lock nevertheless, the keeper
   *     deletes it on reconnect
   */
  public Optional<Lease> acquire(String key, LeaseConfig terms) {
    String token = newToken();
    long sent = System.nanoTime();
    long epoch = redisLeaseStore.acquire(key, token, terms);
    return epoch > 0 ? Optional.of(register(key, token, epoch, terms, sent)) : Optional.empty();
  }

  /**
   * Keeps a lock that a feature's own script took with {@code SET key token NX PX timeout}.
   *
   * @param sentNanos {@link System#nanoTime()} from before the script was sent
   */
  public Lease register(String key, String token, long epoch, LeaseConfig terms, long sentNanos) {
    Lease lease = new Lease(this::ended, key, token, epoch, terms);
    boolean late;
    lock.lock();
    try {
      late = closed;
      if (!late) {
        renewalSchedule.add(lease, sentNanos);
        // Mostly the others are due before it, and a thread that need not wake is left alone.
        if (awaited.isEmpty() || renewalSchedule.next().orElseThrow() - awaited.getAsLong() < 0) {
          changed.signal();
        }
      }
    } finally {
      lock.unlock();
    }
    if (late) {
      redisLeaseStore.releaseLater(key, token);
      throw new IllegalStateException("the lease keeper is closed");
    }
    return lease;
  }

  /** A unique lock value: the owner and the acquisition. */
  public String newToken() {
    return tokens + acquisitions.incrementAndGet();
  }

  /** The keys of each batch of renewals that came through. */
  public TestSignal<List<String>> renewed() {
    return renewed;
  }

  /** The keys of each batch of renewals that Redis did not answer. */
  public TestSignal<List<String>> failed() {
    return failed;
  }

  /**
   * Stops renewing, interrupts the remaining holders and deletes their locks. Callers that want
   * holders to finish wait for them before closing.
   */
  @Override
  public void close() {
    List<Lease> held;
    lock.lock();
    try {
      closed = true;
      held = renewalSchedule.all();
      held.forEach(renewalSchedule::remove);
      changed.signal();
    } finally {
      lock.unlock();
    }
    redisLeaseStore.release(held.stream().filter(Lease::lose).toList());
  }

  private void ended(Lease lease, LeaseEnding leaseEnding) {
    lock.lock();
    try {
      boolean _ = renewalSchedule.remove(lease);
    } finally {
      lock.unlock();
    }
    switch (leaseEnding) {
      case RELEASED -> redisLeaseStore.release(lease.key(), lease.token());
      case STOPPED -> redisLeaseStore.releaseLater(lease.key(), lease.token());
      case SURRENDERED -> {}
    }
  }

  private double count() {
    lock.lock();
    try {
      return renewalSchedule.size();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      for (DueLeases dueLeases = awaitDue(); dueLeases != null; dueLeases = awaitDue()) {
        try {
          dueLeases.expired().forEach(this::lose);
          if (!dueLeases.renew().isEmpty()) {
            renew(dueLeases.renew());
          }
        } catch (RuntimeException | Error e) {
          log.error("lease keeper loop failed; retrying", e);
        }
      }
    } catch (InterruptedException e) {
      log.debug("the lease keeper was interrupted");
    }
  }

  /** Waits until something is due; null once the keeper is closed. */
  private @Nullable DueLeases awaitDue() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        OptionalLong next = renewalSchedule.next();
        long now = System.nanoTime();
        if (next.isEmpty()) {
          awaited = next;
          changed.await();
        } else if (next.getAsLong() - now <= 0) {
          return renewalSchedule.takeDue(now, BATCH_MAX);
        } else {
          awaited = next;
          long _ = changed.awaitNanos(next.getAsLong() - now);
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void renew(List<Lease> due) {
    for (List<Lease> batch : redisLeaseStore.calls(due)) {
      long sent = System.nanoTime();
      var _ =
          redisLeaseStore
              .renew(batch)
              .whenComplete((answer, error) -> answered(batch, sent, answer, error));
    }
  }

  /** Takes the answer for a batch; a lease that was released meanwhile stays forgotten. */
  private void answered(
      List<Lease> batch, long sent, @Nullable Object answer, @Nullable Throwable error) {
    if (error != null || !(answer instanceof List<?> kept) || kept.size() != batch.size()) {
      log.debug("{} renewals were not answered", batch.size(), error);
      reschedule(() -> batch.forEach(lease -> renewalSchedule.failed(lease, System.nanoTime())));
      failed.emit(keys(batch));
      return;
    }
    List<Lease> extended = new ArrayList<>();
    List<Lease> gone = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      (Long.valueOf(1).equals(kept.get(i)) ? extended : gone).add(batch.get(i));
    }
    reschedule(
        () -> {
          extended.forEach(lease -> renewalSchedule.renewed(lease, sent));
          gone.forEach(renewalSchedule::remove);
        });
    renewals.increment(extended.size());
    gone.forEach(this::lose);
    if (!extended.isEmpty()) {
      renewed.emit(keys(extended));
    }
  }

  private static List<String> keys(List<Lease> leases) {
    return leases.stream().map(Lease::key).toList();
  }

  private void reschedule(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void lose(Lease lease) {
    if (lease.lose()) {
      losses.increment();
      log.warn("lost the lease on {}", lease.key());
    }
  }
}
