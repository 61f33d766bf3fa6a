package io.convoke.lab.sim.world;

/** What happened at the door. */
public sealed interface JoinResult {

  /** The visitor is in the meeting. */
  record Joined(Session session) implements JoinResult {}

  /** The visitor waits in the lobby; the session will bear this id. */
  record Waiting(String sessionId) implements JoinResult {}

  /** There is no such room. */
  record NoRoom() implements JoinResult {}

  /** The room has as many participants as it may have. */
  record Full() implements JoinResult {}
}
