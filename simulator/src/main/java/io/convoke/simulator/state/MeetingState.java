package io.convoke.simulator.state;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A meeting while it can still change. Guarded by the world's lock. */
final class MeetingState {

  final String meetingId;
  private final String label;
  private final String room;
  private final Instant startedAt;
  private final Map<String, RoomSession> sessions = new LinkedHashMap<>();
  private Optional<Instant> endedAt = Optional.empty();
  private Instant lastLeave;
  private int present;
  private int maxParticipants;
  private boolean begun;

  MeetingState(String meetingId, String label, String room, Instant startedAt) {
    this.meetingId = meetingId;
    this.label = label;
    this.room = room;
    this.startedAt = startedAt;
    this.lastLeave = startedAt;
  }

  void joined(RoomSession roomSession) {
    sessions.put(roomSession.sessionId(), roomSession);
    present++;
    maxParticipants = Math.max(maxParticipants, present);
    begun = begun || present > 1;
  }

  /** Counts as a session from now on. */
  void begin() {
    begun = true;
  }

  void left(RoomSession ended) {
    sessions.put(ended.sessionId(), ended);
    present--;
    lastLeave = ended.leftAt().orElseThrow();
  }

  void end() {
    endedAt = Optional.of(lastLeave);
  }

  boolean ended() {
    return endedAt.isPresent();
  }

  boolean empty() {
    return present == 0;
  }

  int maxParticipants() {
    return maxParticipants;
  }

  /** How many connections it has had. */
  int visits() {
    return sessions.size();
  }

  Iterable<RoomSession> sessions() {
    return sessions.values();
  }

  Meeting snapshot() {
    return new Meeting(
        meetingId,
        label,
        room,
        startedAt,
        begun,
        endedAt,
        maxParticipants,
        List.copyOf(sessions.values()));
  }
}
