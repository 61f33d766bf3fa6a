package io.convoke.simulator.state;

import io.convoke.simulator.time.SeededRandom;
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

  /** A visitor at the door, or in the lobby since then. */
  record LobbyGuest(String sessionId, String label, Visitor visitor, Instant since) {}

  private final SeededRandom seededRandom;
  private final Consumer<SimulationEvent> tell;
  private final Map<String, RoomSession> present = new LinkedHashMap<>();
  private final Map<String, LobbyGuest> guests = new LinkedHashMap<>();
  private final RoomRegistry.RoomCounters roomCounters;
  private final Deque<MeetingState> recent = new ArrayDeque<>();
  private Room room;
  private @Nullable MeetingState current;

  RoomState(
      Room room,
      SeededRandom seededRandom,
      Consumer<SimulationEvent> tell,
      RoomRegistry.RoomCounters roomCounters) {
    this.room = room;
    this.seededRandom = seededRandom;
    this.tell = tell;
    this.roomCounters = roomCounters;
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

  List<RoomSession> present() {
    return List.copyOf(present.values());
  }

  List<String> waiting() {
    return List.copyOf(guests.keySet());
  }

  LobbyGuest arrive(Visitor visitor, Instant now) {
    LobbyGuest lobbyGuest = guest(visitor, now);
    guests.put(lobbyGuest.sessionId(), lobbyGuest);
    tell.accept(
        new SimulationEvent.LobbyEntered(
            room.name(), lobbyGuest.label(), lobbyGuest.sessionId(), visitor, now));
    return lobbyGuest;
  }

  /** Removes a visitor from the lobby; absent if there is none with that id. */
  Optional<LobbyGuest> dismiss(String sessionId, boolean admitted, Instant now) {
    Optional<LobbyGuest> guest = Optional.ofNullable(guests.remove(sessionId));
    guest.ifPresent(
        g ->
            tell.accept(
                new SimulationEvent.LobbyLeft(
                    room.name(), g.label(), sessionId, g.visitor(), admitted, g.since(), now)));
    return guest;
  }

  LobbyGuest guest(Visitor visitor, Instant now) {
    int visit = roomCounters.visits.merge(visitor.who(), 1, Integer::sum);
    String label = room.name() + "/" + visitor.who() + "#" + visit;
    return new LobbyGuest(seededRandom.id("session", label).toString(), label, visitor, now);
  }

  /**
   * Connects a visitor, starting a meeting if none runs; returns the meeting if it has just begun.
   */
  RoomSession join(LobbyGuest lobbyGuest, Instant now, Consumer<MeetingState> begun) {
    MeetingState meeting = current;
    if (meeting == null) {
      meeting = begin(now);
      begun.accept(meeting);
    }
    RoomSession roomSession =
        new RoomSession(
            lobbyGuest.sessionId(),
            lobbyGuest.label(),
            room.name(),
            meeting.meetingId,
            lobbyGuest.visitor(),
            now,
            Optional.empty(),
            Optional.empty());
    present.put(roomSession.sessionId(), roomSession);
    meeting.joined(roomSession);
    tell.accept(new SimulationEvent.ParticipantJoined(roomSession));
    return roomSession;
  }

  private MeetingState begin(Instant now) {
    String label = room.name() + "~" + ++roomCounters.meetings;
    MeetingState meeting =
        new MeetingState(seededRandom.id("meeting", label).toString(), label, room.name(), now);
    current = meeting;
    recent.addFirst(meeting);
    if (recent.size() > RECENT) {
      recent.removeLast();
    }
    tell.accept(new SimulationEvent.MeetingStarted(meeting.snapshot()));
    return meeting;
  }

  /** Disconnects a session; false if it is not open. */
  boolean leave(String sessionId, LeaveReason reason, Instant now) {
    RoomSession roomSession = present.remove(sessionId);
    MeetingState meeting = current;
    if (roomSession == null || meeting == null) {
      return false;
    }
    RoomSession ended = roomSession.ended(now, reason);
    meeting.left(ended);
    tell.accept(new SimulationEvent.ParticipantLeft(ended, now));
    return true;
  }

  /** Makes a session of the meeting if this participant is still there. */
  void begin(String meetingId, String sessionId) {
    MeetingState meeting = current;
    if (meeting != null && meeting.meetingId.equals(meetingId) && present.containsKey(sessionId)) {
      meeting.begin();
    }
  }

  /** The participant who is alone after others left, with the number of visits so far. */
  Optional<LeftAlone> leftAlone() {
    MeetingState meeting = current;
    return meeting != null && meeting.maxParticipants() > 1 && present.size() == 1
        ? Optional.of(new LeftAlone(meeting.meetingId, meeting.visits()))
        : Optional.empty();
  }

  /** A meeting in which one participant is left, until another joins. */
  record LeftAlone(String meetingId, int visits) {}

  /** Ends the meeting and begins a new one with the participant who is still alone. */
  void startOver(LeftAlone since, Instant now, Consumer<MeetingState> begun) {
    MeetingState old = current;
    if (old == null || !leftAlone().equals(Optional.of(since))) {
      return;
    }
    RoomSession alone = present.values().iterator().next();
    old.left(alone.ended(now, LeaveReason.MEETING_ENDED));
    old.end();
    tell.accept(new SimulationEvent.MeetingEnded(old.snapshot(), now));
    MeetingState next = begin(now);
    begun.accept(next);
    RoomSession moved = alone.in(next.meetingId);
    present.put(moved.sessionId(), moved);
    next.joined(moved);
    next.begin();
  }

  /** Ends the meeting with this id if it still runs and the room is empty. */
  boolean endIfEmpty(String meetingId, Instant now) {
    MeetingState meeting = current;
    if (meeting == null || !meeting.meetingId.equals(meetingId) || !meeting.empty()) {
      return false;
    }
    meeting.end();
    current = null;
    tell.accept(new SimulationEvent.MeetingEnded(meeting.snapshot(), now));
    return true;
  }

  /** The connected participants at a recent instant, without hidden ones. */
  List<RoomSession> presence(Instant at) {
    Map<String, RoomSession> seen = new LinkedHashMap<>();
    for (MeetingState meeting : recent) {
      for (RoomSession roomSession : meeting.sessions()) {
        if (roomSession.visitor().hasPresence() && roomSession.presentAt(at)) {
          // A participant who was left alone is in two meetings; the newest comes first.
          seen.putIfAbsent(roomSession.sessionId(), roomSession);
        }
      }
    }
    return new ArrayList<>(seen.values());
  }
}
