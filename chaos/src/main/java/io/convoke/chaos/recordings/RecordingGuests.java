package io.convoke.chaos.recordings;

import io.convoke.chaos.recordings.rules.RecordingHistory.MeetingPeople;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.Visitor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The people of each room, who are all known to servers before there are faults: one is there twice
 * and stays, two leave.
 */
final class RecordingGuests {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Until servers show a change, on a slow machine. */
  private static final Duration CALM = Duration.ofMinutes(1);

  private static final int TABS = 2;
  private static final int ALL = 4;

  private final SimulationState platform;
  private final RecordingUsers users;
  private final Map<Long, MeetingPeople> meetings = new TreeMap<>();
  private final List<RoomSession> leaving = new ArrayList<>();

  RecordingGuests(SimulationState platform, RecordingUsers users) {
    this.platform = platform;
    this.users = users;
  }

  /** Opens a room and has its people join. */
  void join(String room) {
    var _ = platform.ensure(RoomRequest.named(room));
    for (int tab = 0; tab < TABS; tab++) {
      var _ = join(room, visitor("Ada", room, "ada"));
    }
    leaving.add(join(room, visitor("Bea", room, "bea@example.org")));
    leaving.add(join(room, visitor("Cem", room, "cem")));
  }

  /** The room of these people has this meeting of a user. */
  void met(String room, long meeting) {
    List<String> people =
        List.of(
            "Ada of " + room + " as ada, ",
            "Bea of " + room + " as bea@example.org, bea@example.org",
            "Cem of " + room + " as cem, ");
    meetings.put(meeting, new MeetingPeople(users.email(meeting), people));
  }

  /** Has them leave once each meeting shows them, and waits until it shows that. */
  void leave() {
    await(ALL);
    leaving.forEach(one -> platform.leave(one.room(), one.sessionId(), LeaveReason.LEFT));
    await(TABS);
  }

  /** Who took part in each meeting. */
  Map<Long, MeetingPeople> meetings() {
    return Map.copyOf(meetings);
  }

  private RoomSession join(String room, Visitor visitor) {
    if (platform.join(room, visitor) instanceof JoinResult.JoinedMeeting(RoomSession session)) {
      return session;
    }
    throw new IllegalStateException(visitor + " could not join " + room);
  }

  private static Visitor visitor(String name, String room, String id) {
    return Visitor.named(name + " of " + room).withUserId(id);
  }

  private void await(int number) {
    Instant deadline = Instant.now().plus(CALM);
    for (long meeting : meetings.keySet()) {
      while (users.present(meeting) != number) {
        if (Instant.now().isAfter(deadline)) {
          throw new IllegalStateException(
              "meeting %d shows %d people".formatted(meeting, users.present(meeting)));
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
  }
}
