package io.convoke.server.presence;

import io.convoke.engine.lease.LeaseConfig;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;

/**
 * The times of presence.
 *
 * @param coalesceWindow events within it, counted from the first, cost one poll
 * @param minPollInterval between two polls of one meeting
 * @param reconcileInterval within which every active meeting is proven
 * @param mode how it is proven
 * @param processInterval between two runs of meeting processing
 * @param concurrency polls and commits at once on this node
 */
public record PresenceConfig(
    Duration coalesceWindow,
    Duration minPollInterval,
    Duration reconcileInterval,
    ReconcileMode mode,
    Duration processInterval,
    int concurrency) {

  /** How the reconciliation timer looks for what webhooks missed. */
  public enum ReconcileMode {
    /** One call for the whole domain each half interval; flags what differs or is not proven. */
    BULK,
    /** Flags every active meeting each interval, as seed 000 does. */
    UNCONDITIONAL
  }

  /** The lock around a poll. Source: seed 000, "Poll Execution Lock". */
  static final LeaseConfig POLL_LEASE =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  /** The lock around meeting processing. Source: seed 000, "Meeting Process Lock". */
  static final LeaseConfig PROCESS_LEASE =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  /** No tick follows another sooner, however urgent. */
  private static final Duration SOONEST_TICK = Duration.ofSeconds(5);

  /** The defaults of the configuration. */
  public static PresenceConfig defaults() {
    return new PresenceConfig(
        Duration.ofMillis(1500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(30),
        ReconcileMode.BULK,
        Duration.ofSeconds(60),
        16);
  }

  /** Between two ticks: half the interval for bulk, so that a lost join is seen within one. */
  Duration tickPeriod() {
    return switch (mode) {
      case BULK -> reconcileInterval.dividedBy(2);
      case UNCONDITIONAL -> reconcileInterval;
    };
  }

  /**
   * The same while webhooks cannot be relied on. Only bulk ticks come sooner: they cost one call
   * each, the others one for every meeting.
   */
  Duration urgentTickPeriod() {
    return switch (mode) {
      case BULK -> sooner(tickPeriod());
      case UNCONDITIONAL -> tickPeriod();
    };
  }

  private static Duration sooner(Duration period) {
    Duration half = period.dividedBy(2);
    Duration soonest = half.compareTo(SOONEST_TICK) > 0 ? half : SOONEST_TICK;
    return soonest.compareTo(period) < 0 ? soonest : period;
  }

  /** How old what we say may be when every webhook is lost: a tick, the platform's lag, a poll. */
  public Duration freshnessBound() {
    return reconcileInterval.plus(PresenceMerge.LAG);
  }
}
