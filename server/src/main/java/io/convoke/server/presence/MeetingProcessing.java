package io.convoke.server.presence;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.server.platform.Platform;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.presence.merge.Merge;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meeting processing, seed 000's scenario 10: looks periodically whether tracked meetings ended on
 * the platform, one lock per meeting, skipping what another worker processes. It alone completes
 * tracked meetings.
 */
final class MeetingProcessing {
  private static final Logger log = LoggerFactory.getLogger(MeetingProcessing.class);

  /**
   * How long after an end people may still come back: the platform's reconnect allowance of 20 s
   * and the lag of its answers.
   */
  static final Duration GRACE = Duration.ofSeconds(20).plus(Merge.LAG);

  /**
   * How much later than told a meeting may have ended: the platform tells its start and its
   * duration in whole seconds, each rounded down.
   */
  private static final Duration ROUNDED = Duration.ofSeconds(2);

  /**
   * How much later it may have ended when somebody was in it since it is tracked, who proves that
   * the end is this meeting's: the platform's times of meetings are some 15 s coarse.
   */
  static final Duration COARSE = ROUNDED.plusSeconds(15);

  private final LeaseKeeper leases;
  private final MeetingRows meetings;
  private final PresenceRepository repository;
  private final RoomMap rooms;
  private final Platform platform;
  private final PresenceSignals signals;
  private final InstantSource time;

  MeetingProcessing(
      LeaseKeeper leases,
      MeetingRows meetings,
      PresenceRepository repository,
      RoomMap rooms,
      Platform platform,
      PresenceSignals signals,
      InstantSource time) {
    this.leases = leases;
    this.meetings = meetings;
    this.repository = repository;
    this.rooms = rooms;
    this.platform = platform;
    this.signals = signals;
    this.time = time;
  }

  /** One run over the tracked meetings in which nobody is. */
  void run() {
    for (MeetingRows.Tracked tracked : meetings.quiet(platform.name())) {
      Optional<Lease> lease =
          leases.acquire(Keys.processLock(tracked.meeting().id()), PresenceTerms.PROCESS_LEASE);
      if (lease.isEmpty()) {
        log.debug("meeting {} is being processed already", tracked.meeting().id());
        continue;
      }
      try (Lease held = lease.get()) {
        boolean _ = held.guard(() -> process(tracked));
      } catch (Exception failed) {
        log.warn("processing meeting {} failed", tracked.meeting().id(), failed);
      }
    }
  }

  private boolean process(MeetingRows.Tracked tracked) {
    RoomActivity activity = platform.activity(tracked.meeting().room());
    Optional<Instant> end = ended(activity, tracked, time.instant());
    if (end.isEmpty() || !repository.complete(tracked.meeting().id(), end.get())) {
      return false;
    }
    rooms.remove(List.of(tracked.meeting().entry()));
    signals.closed().emit(tracked.meeting().id());
    return true;
  }

  /** When the meeting ended, if it did after it was tracked and the grace is over. */
  static Optional<Instant> ended(RoomActivity activity, MeetingRows.Tracked tracked, Instant now) {
    Duration late = tracked.attended() ? COARSE : ROUNDED;
    return switch (activity) {
      case RoomActivity.Ended(Instant _, Instant endedAt)
          when endedAt.plus(late).isAfter(tracked.createdAt())
              && !now.isBefore(endedAt.plus(GRACE)) ->
          Optional.of(endedAt);
      case RoomActivity.Ended _ -> Optional.empty();
      case RoomActivity.Ongoing _ -> Optional.empty();
      case RoomActivity.Never _ -> Optional.empty();
      case RoomActivity.Unknown _ -> Optional.empty();
    };
  }
}
