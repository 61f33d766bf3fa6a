package io.convoke.server.presence;

import io.convoke.engine.lease.Lease;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.MeetingAttendance.Attendee;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.presence.MeetingQueries.TrackedMeeting;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meeting processing ({@code presence-10}): checks whether tracked meetings ended on the platform,
 * in the rooms that {@link RoomCheckSchedule} names, under one lease per meeting; skips meetings
 * that another worker processes. Only this class completes tracked meetings.
 */
final class TrackedMeetingMonitor {
  private static final Logger log = LoggerFactory.getLogger(TrackedMeetingMonitor.class);

  /**
   * How much later than reported a meeting or a visit may have ended: the platform reports start
   * and duration in whole seconds, each rounded down.
   */
  private static final Duration ROUNDED = Duration.ofSeconds(2);

  /**
   * The same tolerance for a meeting that had a session since it is tracked, so that the end must
   * be its own: the platform's meeting times are accurate to about 15 s.
   */
  static final Duration COARSE = ROUNDED.plusSeconds(15);

  /** How long a meeting waits for its attendance while the platform does not answer. */
  private static final Duration ATTENDANCE_WAIT = Duration.ofMinutes(10);

  private final LeaseRenewer leases;
  private final MeetingQueries meetings;
  private final PresenceRepository repository;
  private final RoomMap rooms;
  private final PlatformClient platformClient;
  private final PresenceTestSignals signals;
  private final Duration interval;
  private final Duration unusedTimeout;
  private final InstantSource time;

  TrackedMeetingMonitor(
      LeaseRenewer leases,
      MeetingQueries meetings,
      PresenceRepository repository,
      RoomMap rooms,
      PlatformClient platformClient,
      PresenceTestSignals signals,
      PresenceConfig terms,
      InstantSource time) {
    this.leases = leases;
    this.meetings = meetings;
    this.repository = repository;
    this.rooms = rooms;
    this.platformClient = platformClient;
    this.signals = signals;
    this.interval = terms.processInterval();
    this.unusedTimeout = terms.unusedTimeout();
    this.time = time;
  }

  /** Checks the rooms that are due. */
  void run() {
    List<TrackedMeeting> quiet = meetings.quiet(platformClient.name());
    for (TrackedMeeting trackedMeeting : RoomCheckSchedule.due(quiet, interval, time.instant())) {
      Optional<Lease> lease =
          leases.acquire(
              PresenceKeys.processLock(trackedMeeting.meeting().id()),
              PresenceConfig.PROCESS_LEASE);
      if (lease.isEmpty()) {
        log.debug("Meeting {} is leased by another worker; skipped", trackedMeeting.meeting().id());
        continue;
      }
      try (Lease held = lease.get()) {
        if (held.guard(() -> process(trackedMeeting))) {
          rooms.remove(List.of(trackedMeeting.meeting().entry()));
          signals.closed().emit(trackedMeeting.meeting().id());
        }
      } catch (Exception failed) {
        log.warn("Processing meeting {} failed", trackedMeeting.meeting().id(), failed);
      }
    }
  }

  /** Checks a room that no other node checked meanwhile; whether the meeting is completed. */
  private boolean process(TrackedMeeting trackedMeeting) {
    Instant now = time.instant().truncatedTo(ChronoUnit.MICROS);
    if (!meetings.claimCheck(trackedMeeting, now)) {
      return false;
    }
    RoomActivity activity = platformClient.activity(trackedMeeting.meeting().room());
    if (activity instanceof RoomActivity.RoomActivityUnknown(PlatformError outage)
        && outage.cause() != PlatformError.PlatformErrorKind.NOT_FOUND) {
      meetings.returnCheck(trackedMeeting, now);
    }
    Optional<MeetingEnd> end = ended(activity, trackedMeeting, unusedTimeout, time.instant());
    Optional<List<Attendee>> attendees = end.flatMap(it -> attendees(activity, trackedMeeting, it));
    if (end.isPresent() && attendees.isEmpty()) {
      meetings.returnCheck(trackedMeeting, now);
    }
    return attendees.isPresent()
        && repository.complete(trackedMeeting.meeting().id(), end.orElseThrow(), attendees.get());
  }

  /**
   * Who attended since tracking began; empty if the platform does not answer and the meeting ended
   * a short while ago, so that the next run asks again.
   */
  private Optional<List<Attendee>> attendees(
      RoomActivity activity, TrackedMeeting trackedMeeting, MeetingEnd end) {
    if (end.reason() != EndReason.PLATFORM_ENDED
        || !(activity instanceof RoomActivity.RoomMeetingEnded over)) {
      return Optional.of(List.of());
    }
    return switch (platformClient.attendance(over.session())) {
      case MeetingAttendance.AttendanceKnown(List<Attendee> attendees) ->
          Optional.of(
              attendees.stream()
                  .filter(it -> it.leftAt().plus(ROUNDED).isAfter(trackedMeeting.createdAt()))
                  .toList());
      case MeetingAttendance.AttendanceUnknown(PlatformError outage) -> {
        log.info(
            "Attendance of meeting {} not read: {}", trackedMeeting.meeting().id(), outage.cause());
        yield time.instant().isBefore(end.at().plus(ATTENDANCE_WAIT))
            ? Optional.empty()
            : Optional.of(List.of());
      }
    };
  }

  /** The end of a tracked meeting, and how it was found. */
  record MeetingEnd(Instant at, EndReason reason) {}

  /** How the end of a tracked meeting was found. */
  enum EndReason {
    /** The platform reported the end of its session. */
    PLATFORM_ENDED,
    /** The participants left before the platform began a session, and none came back. */
    SHORT_VISIT,
    /** The platform keeps no history; the room was empty when the grace period was over. */
    ROOM_EMPTY,
    /** The room was not used within the timeout. */
    NEVER_USED;

    /** As written in the event. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How the meeting ended, if it did. The platform's session must be the one that snapshots showed,
   * or a later one; where none is known, it must have ended since tracking began. The grace period
   * must be over. Without such a session a short visit is over after {@link
   * RoomCheckSchedule#SHORT_VISIT}, and a room that was not used after the timeout.
   */
  static Optional<MeetingEnd> ended(
      RoomActivity activity, TrackedMeeting trackedMeeting, Duration unusedTimeout, Instant now) {
    return switch (activity) {
      case RoomActivity.RoomMeetingEnded ended when isOwn(ended, trackedMeeting) ->
          now.isBefore(ended.endedAt().plus(RoomCheckSchedule.GRACE))
              ? Optional.empty()
              : Optional.of(
                  new MeetingEnd(exact(ended.endedAt(), trackedMeeting), EndReason.PLATFORM_ENDED));
      case RoomActivity.RoomMeetingEnded _, RoomActivity.RoomNeverUsed _ ->
          withoutSession(trackedMeeting, unusedTimeout, now);
      case RoomActivity.RoomEmpty _ when trackedMeeting.attended() ->
          trackedMeeting
              .lastLeft()
              .filter(left -> !now.isBefore(left.plus(RoomCheckSchedule.GRACE)))
              .map(left -> new MeetingEnd(left, EndReason.ROOM_EMPTY));
      case RoomActivity.RoomEmpty _ -> withoutSession(trackedMeeting, unusedTimeout, now);
      case RoomActivity.RoomMeetingOngoing _ -> Optional.empty();
      case RoomActivity.RoomActivityUnknown(PlatformError outage) ->
          outage.cause() == PlatformError.PlatformErrorKind.NOT_FOUND
              ? withoutSession(trackedMeeting, unusedTimeout, now)
              : Optional.empty();
    };
  }

  /**
   * Whether the session may be this meeting's. One with another id than snapshots showed counts if
   * it began so long after tracking that it cannot be an earlier one: the room was empty, or one
   * participant alone for long, in between.
   */
  private static boolean isOwn(RoomActivity.RoomMeetingEnded ended, TrackedMeeting trackedMeeting) {
    if (trackedMeeting.platformSession().isEmpty()) {
      Duration late = trackedMeeting.attended() ? COARSE : ROUNDED;
      return ended.endedAt().plus(late).isAfter(trackedMeeting.createdAt());
    }
    return trackedMeeting.platformSession().get().equals(ended.session())
        || ended.startedAt().isAfter(trackedMeeting.createdAt().plus(COARSE));
  }

  /** The end of the last participant's session, if the platform's coarse time may be that one. */
  private static Instant exact(Instant endedAt, TrackedMeeting trackedMeeting) {
    return trackedMeeting
        .lastLeft()
        .filter(left -> Duration.between(endedAt, left).abs().compareTo(COARSE) <= 0)
        .orElse(endedAt);
  }

  private static Optional<MeetingEnd> withoutSession(
      TrackedMeeting trackedMeeting, Duration unusedTimeout, Instant now) {
    if (!trackedMeeting.attended()) {
      return now.isBefore(trackedMeeting.createdAt().plus(unusedTimeout))
          ? Optional.empty()
          : Optional.of(new MeetingEnd(now, EndReason.NEVER_USED));
    }
    return trackedMeeting
        .lastLeft()
        .filter(left -> !now.isBefore(left.plus(RoomCheckSchedule.SHORT_VISIT)))
        .map(left -> new MeetingEnd(left, EndReason.SHORT_VISIT));
  }
}
