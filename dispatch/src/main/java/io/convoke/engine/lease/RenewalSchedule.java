package io.convoke.engine.lease;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When each lease of a process is renewed and when it ends, in monotonic nanoseconds. Not safe for
 * concurrent use: the keeper's lock guards it.
 *
 * <p>A renewal round includes leases that are due within an eighth of their interval. Leases
 * acquired one by one so align, and a few calls renew thousands of them.
 */
final class RenewalSchedule {
  private static final int AHEAD = 8;
  private static final Duration RETRY = Duration.ofMillis(250);

  private final Map<Lease, ScheduledLease> slots = new HashMap<>();
  private final TreeSet<ScheduledLease> order =
      new TreeSet<>(
          Comparator.<ScheduledLease>comparingLong(s -> s.due).thenComparingLong(s -> s.id));
  private long ids;

  /** Leases to renew now, and leases that have expired. */
  record DueLeases(List<Lease> renew, List<Lease> expired) {}

  /** Begins to keep a lease that was taken or renewed by a command sent at {@code sent}. */
  void add(Lease lease, long sent) {
    ScheduledLease scheduledLease = new ScheduledLease(++ids, lease);
    scheduledLease.renewed(sent);
    slots.put(lease, scheduledLease);
    order.add(scheduledLease);
  }

  /** Stops to keep a lease; false if it was not kept. */
  boolean remove(Lease lease) {
    ScheduledLease scheduledLease = slots.remove(lease);
    return scheduledLease != null && order.remove(scheduledLease);
  }

  /** Answers up to {@code max} leases to renew; each waits for its answer until its end. */
  DueLeases takeDue(long now, int max) {
    List<Lease> renew = new ArrayList<>();
    List<Lease> expired = new ArrayList<>();
    List<ScheduledLease> taken = new ArrayList<>();
    for (ScheduledLease scheduledLease : order) {
      boolean due = scheduledLease.due - now <= 0;
      boolean nearlyDue =
          taken.size() > expired.size() && scheduledLease.due - scheduledLease.ahead - now <= 0;
      if (renew.size() == max || (!due && !nearlyDue)) {
        break;
      }
      taken.add(scheduledLease);
      (scheduledLease.end - now <= 0 ? expired : renew).add(scheduledLease.lease);
    }
    for (ScheduledLease scheduledLease : taken) {
      order.remove(scheduledLease);
      if (scheduledLease.end - now <= 0) {
        slots.remove(scheduledLease.lease);
      } else {
        scheduledLease.sent();
        order.add(scheduledLease);
      }
    }
    return new DueLeases(renew, expired);
  }

  /** A renewal that was sent at {@code sent} came through. */
  void renewed(Lease lease, long sent) {
    change(lease, scheduledLease -> scheduledLease.renewed(sent));
  }

  /** A renewal did not come through: tries again soon, and no later than the end. */
  void failed(Lease lease, long now) {
    change(lease, scheduledLease -> scheduledLease.retry(now + RETRY.toNanos()));
  }

  /** The time of the next thing to do. */
  OptionalLong next() {
    return order.isEmpty() ? OptionalLong.empty() : OptionalLong.of(order.first().due);
  }

  List<Lease> all() {
    return List.copyOf(slots.keySet());
  }

  int size() {
    return slots.size();
  }

  private void change(Lease lease, java.util.function.Consumer<ScheduledLease> change) {
    @Nullable ScheduledLease scheduledLease = slots.get(lease);
    if (scheduledLease != null) {
      order.remove(scheduledLease);
      change.accept(scheduledLease);
      order.add(scheduledLease);
    }
  }

  private static final class ScheduledLease {
    private final long id;
    private final Lease lease;
    private long due;
    private long ahead;
    private long end;

    private ScheduledLease(long id, Lease lease) {
      this.id = id;
      this.lease = lease;
    }

    private void renewed(long sent) {
      LeaseConfig terms = lease.terms();
      end = sent + terms.timeout().minus(terms.margin()).toNanos();
      due = sent + terms.interval().toNanos();
      ahead = terms.interval().toNanos() / AHEAD;
      lease.validUntil(end);
    }

    private void sent() {
      due = end;
      ahead = 0;
    }

    private void retry(long at) {
      due = at - end < 0 ? at : end;
      ahead = 0;
    }
  }
}
