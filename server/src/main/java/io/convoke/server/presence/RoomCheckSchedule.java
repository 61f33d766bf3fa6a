package io.convoke.server.presence;

import io.convoke.server.presence.MeetingQueries.TrackedMeeting;
import io.convoke.server.presence.merge.PresenceMerge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Decides in which empty tracked rooms the platform is asked whether the meeting is over, so that
 * the calls follow from the use of rooms and not from their number. Each time the last participant
 * leaves, a room is checked twice: after {@link #GRACE} and after {@link #SHORT_VISIT}. Every other
 * check waits for half the time since the last use, at most {@link #LONGEST}, and all of them
 * together get a fixed number of calls a minute.
 */
final class RoomCheckSchedule {

  /**
   * How long after an end participants may rejoin: the platform's reconnect allowance of 20 s plus
   * the lag of its responses.
   */
  static final Duration GRACE = Duration.ofSeconds(20).plus(PresenceMerge.LAG);

  /**
   * How long a room was empty when a visit without a meeting session is over for good: the time
   * after which Daily starts a new session for a participant who was left alone.
   */
  static final Duration SHORT_VISIT = Duration.ofMinutes(10);

  /** How long after its last use a room is checked before rooms that were not used. */
  private static final Duration RECENT = Duration.ofHours(2);

  private static final Duration LONGEST = Duration.ofHours(1);

  /** Repeated checks of rooms in recent use, per minute and account. */
  static final int REPEATED_A_MINUTE = 10;

  /** Checks of rooms without recent use, per minute and account. */
  static final int IDLE_A_MINUTE = 4;

  private RoomCheckSchedule() {}

  /** Why a room is due; the order in which rooms are checked. */
  private enum Urgency {
    LEFT,
    REPEATED,
    IDLE
  }

  /**
   * The rooms to check now, most urgent first.
   *
   * @param quiet all active tracked meetings without a visible participant, so that the checks of
   *     the last minute can be counted
   * @param interval shortest time between two checks of a room
   */
  static List<TrackedMeeting> due(List<TrackedMeeting> quiet, Duration interval, Instant now) {
    List<TrackedMeeting> left = new ArrayList<>();
    List<TrackedMeeting> repeated = new ArrayList<>();
    List<TrackedMeeting> idle = new ArrayList<>();
    int repeatedBudget = REPEATED_A_MINUTE;
    int idleBudget = IDLE_A_MINUTE;
    for (TrackedMeeting room : quiet) {
      Urgency urgency = urgency(room, now);
      boolean counted =
          room.checkedAt().filter(at -> at.isAfter(now.minus(Duration.ofMinutes(1)))).isPresent();
      switch (urgency) {
        case LEFT -> left.add(room);
        case REPEATED -> {
          repeatedBudget -= counted ? 1 : 0;
          if (again(room, interval, now)) {
            repeated.add(room);
          }
        }
        case IDLE -> {
          idleBudget -= counted ? 1 : 0;
          if (again(room, interval, now)) {
            idle.add(room);
          }
        }
      }
    }
    List<TrackedMeeting> due = new ArrayList<>(left);
    due.addAll(oldest(repeated, repeatedBudget));
    due.addAll(oldest(idle, idleBudget));
    return due;
  }

  private static Urgency urgency(TrackedMeeting room, Instant now) {
    if (room.lastLeft().isEmpty()) {
      return Urgency.IDLE;
    }
    Instant leftAt = room.lastLeft().get();
    if (reached(room, leftAt.plus(GRACE), now) || reached(room, leftAt.plus(SHORT_VISIT), now)) {
      return Urgency.LEFT;
    }
    return leftAt.plus(RECENT).isAfter(now) ? Urgency.REPEATED : Urgency.IDLE;
  }

  /** Whether this moment has come and the room was not checked since. */
  private static boolean reached(TrackedMeeting room, Instant moment, Instant now) {
    return !now.isBefore(moment)
        && room.checkedAt().filter(checked -> !checked.isBefore(moment)).isEmpty();
  }

  /** Whether a room that is not urgent may be checked again. */
  private static boolean again(TrackedMeeting room, Duration interval, Instant now) {
    Instant used = room.lastLeft().orElse(room.createdAt());
    if (room.checkedAt().isEmpty()) {
      return room.lastLeft().isEmpty();
    }
    Instant checked = room.checkedAt().get();
    Duration half = Duration.between(used, checked).dividedBy(2);
    Duration wait = half.compareTo(LONGEST) < 0 ? half : LONGEST;
    return checked.isAfter(used)
        && !now.isBefore(checked.plus(wait.compareTo(interval) < 0 ? interval : wait));
  }

  private static List<TrackedMeeting> oldest(List<TrackedMeeting> rooms, int budget) {
    return rooms.stream()
        .sorted(Comparator.comparing(room -> room.checkedAt().orElse(Instant.MIN)))
        .limit(Math.max(0, budget))
        .toList();
  }
}
