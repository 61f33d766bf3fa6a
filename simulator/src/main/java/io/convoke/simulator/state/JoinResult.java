package io.convoke.simulator.state;

/** What happened at the door. */
public sealed interface JoinResult {

  /** The visitor is in the meeting. */
  record JoinedMeeting(RoomSession session) implements JoinResult {}

  /** The visitor waits in the lobby; the session will bear this id. */
  record WaitingInLobby(String sessionId) implements JoinResult {}

  /** There is no such room. */
  record RoomNotFound() implements JoinResult {}

  /** The room is full. */
  record RoomFull() implements JoinResult {}
}
