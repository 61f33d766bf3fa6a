package io.convoke.server.presence;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meeting processing ({@code presence-10}): checks periodically whether tracked meetings ended on
 * the platform, under one lease per meeting; skips meetings that another worker processes. Only
 * this class completes tracked meetings.
 */
final class TrackedMeetingMonitor {
  private static final Logger log = LoggerFactory.getLogger(TrackedMeetingMonitor.class);

  /**
   * How long after an end participants may rejoin: the platform's reconnect allowance of 20 s plus
   * the lag of its responses.
   */
  static final Duration GRACE = Duration.ofSeconds(20).plus(PresenceMerge.LAG);

  /**
   * How much later than reported a meeting may have ended: the platform reports start and duration
   * in whole seconds, each rounded down.
   */
  private static final Duration ROUNDED = Duration.ofSeconds(2);

  /**
   * The same tolerance for a meeting that had a session since it is tracked, so that the end must
   * be its own: the platform's meeting times are accurate to about 15 s.
   */
  static final Duration COARSE = ROUNDED.plusSeconds(15);

  private final LeaseRenewer leases;
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final RoomMap rooms;
  private final PlatformClient platformClient;
  private final PresenceTestSignals signals;
  private final InstantSource time;

  TrackedMeetingMonitor(
      LeaseRenewer leases,
      MeetingQueries meetings,
      PresenceRepository repository,
      RoomMap rooms,
      PlatformClient platformClient,
      PresenceTestSignals signals,
      InstantSource time) {
    this.leases = leases;
    this.meetings = meetings;
    this.repository = repository;
    this.rooms = rooms;
    this.platformClient = platformClient;
    this.signals = signals;
    this.time = time;
  }

  /** Checks the tracked meetings without visible open sessions. */
  void run() {
    for (MeetingQueries.TrackedMeeting trackedMeeting : meetings.quiet(platformClient.name())) {
      Optional<Lease> lease =
          leases.acquire(
              PresenceKeys.processLock(trackedMeeting.meeting().id()),
              PresenceConfig.PROCESS_LEASE);
      if (lease.isEmpty()) {
        log.debug("Meeting {} is leased by another worker; skipped", trackedMeeting.meeting().id());
        continue;
      }
      try (Lease held = lease.get()) {
        boolean _ = held.guard(() -> process(trackedMeeting));
      } catch (Exception failed) {
        log.warn("Processing meeting {} failed", trackedMeeting.meeting().id(), failed);
      }
    }
  }

  private boolean process(MeetingQueries.TrackedMeeting trackedMeeting) {
    RoomActivity activity = platformClient.activity(trackedMeeting.meeting().room());
    Optional<Instant> end = ended(activity, trackedMeeting, time.instant());
    if (end.isEmpty() || !repository.complete(trackedMeeting.meeting().id(), end.get())) {
      return false;
    }
    rooms.remove(List.of(trackedMeeting.meeting().entry()));
    signals.closed().emit(trackedMeeting.meeting().id());
    return true;
  }

  /** When the meeting ended, if it ended after tracking began and the grace period is over. */
  static Optional<Instant> ended(
      RoomActivity activity, MeetingQueries.TrackedMeeting trackedMeeting, Instant now) {
    Duration late = trackedMeeting.attended() ? COARSE : ROUNDED;
    return switch (activity) {
      case RoomActivity.RoomMeetingEnded(Instant _, Instant endedAt)
          when endedAt.plus(late).isAfter(trackedMeeting.createdAt())
              && !now.isBefore(endedAt.plus(GRACE)) ->
          Optional.of(endedAt);
      case RoomActivity.RoomMeetingEnded _ -> Optional.empty();
      case RoomActivity.RoomMeetingOngoing _ -> Optional.empty();
      case RoomActivity.RoomNeverUsed _ -> Optional.empty();
      case RoomActivity.RoomActivityUnknown _ -> Optional.empty();
    };
  }
}
