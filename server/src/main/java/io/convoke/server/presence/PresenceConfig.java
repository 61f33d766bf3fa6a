package io.convoke.server.presence;

import io.convoke.engine.lease.LeaseConfig;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;

/**
 * Configuration of presence.
 *
 * @param coalesceWindow events within this window, from the first one, share one poll
 * @param minPollInterval minimum time between two polls of a meeting
 * @param reconcileInterval interval within which every active meeting is confirmed
 * @param mode how the timer confirms meetings
 * @param processInterval between two runs of meeting processing
 * @param unusedTimeout after which a tracked meeting ends in whose room no participant ever was
 * @param concurrency polls and commits at once on this node
 */
public record PresenceConfig(
    Duration coalesceWindow,
    Duration minPollInterval,
    Duration reconcileInterval,
    ReconcileMode mode,
    Duration processInterval,
    Duration unusedTimeout,
    int concurrency) {

  /** How the reconciliation timer finds changes that webhooks missed. */
  public enum ReconcileMode {
    /**
     * One call for the whole domain each half interval; flags meetings that differ or are not
     * confirmed.
     */
    BULK,
    /** Flags every active meeting each interval ({@code presence-7}). */
    UNCONDITIONAL
  }

  /** The lease of a poll ({@code presence-3}). */
  static final LeaseConfig POLL_LEASE =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  /** The lease of meeting processing ({@code presence-10}). */
  static final LeaseConfig PROCESS_LEASE =
      new LeaseConfig(Duration.ofSeconds(120), Duration.ofSeconds(30));

  /** Minimum time between two ticks. */
  private static final Duration SOONEST_TICK = Duration.ofSeconds(5);

  private static final int CONCURRENCY = 16;

  /** Reads the settings. */
  public static PresenceConfig of(ServerConfig config) {
    return new PresenceConfig(
        config.get(Settings.PRESENCE_COALESCE_WINDOW),
        config.get(Settings.PRESENCE_MIN_POLL_INTERVAL),
        config.get(Settings.PRESENCE_RECONCILE_INTERVAL),
        switch (config.get(Settings.PRESENCE_RECONCILE)) {
          case BULK -> ReconcileMode.BULK;
          case UNCONDITIONAL -> ReconcileMode.UNCONDITIONAL;
        },
        config.get(Settings.MEETING_PROCESS_INTERVAL),
        config.get(Settings.MEETING_UNUSED_TIMEOUT),
        CONCURRENCY);
  }

  /**
   * Time between two ticks; half the interval in bulk mode, so that a lost join is found within one
   * interval.
   */
  Duration tickPeriod() {
    return switch (mode) {
      case BULK -> reconcileInterval.dividedBy(2);
      case UNCONDITIONAL -> reconcileInterval;
    };
  }

  /**
   * Time between two ticks while webhooks are unhealthy. Only bulk ticks become more frequent: each
   * costs one call, an unconditional tick costs one call per meeting.
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

  /** Maximum age of the reported presence when every webhook is lost. */
  public Duration freshnessBound() {
    return reconcileInterval.plus(PresenceMerge.LAG);
  }
}
