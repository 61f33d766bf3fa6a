package io.convoke.lab.sim.world;

import io.convoke.lab.sim.time.Draws;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The mutable state of a room: participants, lobby, current meeting. Guarded by the world's lock.
 */
final class RoomState {

  /** How many past meetings still answer questions about a moment ago. */
  private static final int RECENT = 4;

  /** A visitor in the lobby. */
  record Guest(String sessionId, String label, Visitor visitor) {}

  private final Draws draws;
  private final Consumer<WorldEvent> tell;
  private final Map<String, Session> present = new LinkedHashMap<>();
  private final Map<String, Guest> guests = new LinkedHashMap<>();
  private final RoomBook.Counts counts;
  private final Deque<MeetingState> recent = new ArrayDeque<>();
  private Room room;
  private @Nullable MeetingState current;

  RoomState(Room room, Draws draws, Consumer<WorldEvent> tell, RoomBook.Counts counts) {
    this.room = room;
    this.draws = draws;
    this.tell = tell;
    this.counts = counts;
  }

  Room room() {
    return room;
  }

  void reconfigure(Room changed) {
    room = changed;
  }

  boolean full() {
    return present.size() >= room.capacity();
  }

  Optional<MeetingState> current() {
    return Optional.ofNullable(current);
  }

  List<Session> present() {
    return List.copyOf(present.values());
  }

  List<String> waiting() {
    return List.copyOf(guests.keySet());
  }

  Guest arrive(Visitor visitor, Instant now) {
    Guest guest = guest(visitor);
    guests.put(guest.sessionId(), guest);
    tell.accept(
        new WorldEvent.Arrived(room.name(), guest.label(), guest.sessionId(), visitor, now));
    return guest;
  }

  /** Removes a visitor from the lobby; absent if there is none with that id. */
  Optional<Guest> dismiss(String sessionId, boolean admitted, Instant now) {
    Optional<Guest> guest = Optional.ofNullable(guests.remove(sessionId));
    guest.ifPresent(
        g ->
            tell.accept(
                new WorldEvent.Dismissed(
                    room.name(), g.label(), sessionId, g.visitor(), admitted, now)));
    return guest;
  }

  Guest guest(Visitor visitor) {
    int visit = counts.visits.merge(visitor.who(), 1, Integer::sum);
    String label = room.name() + "/" + visitor.who() + "#" + visit;
    return new Guest(draws.id("session", label).toString(), label, visitor);
  }

  /**
   * Connects a visitor, starting a meeting if none runs; returns the meeting if it has just begun.
   */
  Session join(Guest guest, Instant now, Consumer<MeetingState> begun) {
    MeetingState meeting = current;
    if (meeting == null) {
      meeting = begin(now);
      begun.accept(meeting);
    }
    Session session =
        new Session(
            guest.sessionId(),
            guest.label(),
            room.name(),
            meeting.meetingId,
            guest.visitor(),
            now,
            Optional.empty(),
            Optional.empty());
    present.put(session.sessionId(), session);
    meeting.joined(session);
    tell.accept(new WorldEvent.Joined(session));
    return session;
  }

  private MeetingState begin(Instant now) {
    String label = room.name() + "~" + ++counts.meetings;
    MeetingState meeting =
        new MeetingState(draws.id("meeting", label).toString(), label, room.name(), now);
    current = meeting;
    recent.addFirst(meeting);
    if (recent.size() > RECENT) {
      recent.removeLast();
    }
    tell.accept(new WorldEvent.MeetingStarted(meeting.snapshot()));
    return meeting;
  }

  /** Disconnects a session; false if it is not open. */
  boolean leave(String sessionId, LeaveReason reason, Instant now) {
    Session session = present.remove(sessionId);
    MeetingState meeting = current;
    if (session == null || meeting == null) {
      return false;
    }
    Session ended = session.ended(now, reason);
    meeting.left(ended);
    tell.accept(new WorldEvent.Left(ended, now));
    return true;
  }

  /** Ends the meeting with this id if it still runs and the room is empty. */
  boolean endIfEmpty(String meetingId, Instant now) {
    MeetingState meeting = current;
    if (meeting == null || !meeting.meetingId.equals(meetingId) || !meeting.empty()) {
      return false;
    }
    meeting.end();
    current = null;
    tell.accept(new WorldEvent.MeetingEnded(meeting.snapshot(), now));
    return true;
  }

  /** The connected participants at a recent instant, without hidden ones. */
  List<Session> presence(Instant at) {
    List<Session> seen = new ArrayList<>();
    for (MeetingState meeting : recent) {
      for (Session session : meeting.sessions()) {
        if (session.visitor().hasPresence() && session.presentAt(at)) {
          seen.add(session);
        }
      }
    }
    return seen;
  }
}
