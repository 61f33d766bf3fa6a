package io.convoke.simulator.state;

import java.util.Optional;

/**
 * A visitor of a room, who may be connected several times (two tabs) and may have no name.
 *
 * @param userId the platform's user id, shared by all connections of one user
 * @param userName the display name; absent for anonymous visitors
 * @param owner whether this is a host of the room
 * @param hasPresence false for hidden visitors, who never appear in presence
 */
public record Visitor(
    Optional<String> userId, Optional<String> userName, boolean owner, boolean hasPresence) {

  public static Visitor named(String userName) {
    return new Visitor(Optional.empty(), Optional.of(userName), false, true);
  }

  public static Visitor anonymous() {
    return new Visitor(Optional.empty(), Optional.empty(), false, true);
  }

  public Visitor withUserId(String id) {
    return new Visitor(Optional.of(id), userName, owner, hasPresence);
  }

  public Visitor asOwner() {
    return new Visitor(userId, userName, true, hasPresence);
  }

  public Visitor hidden() {
    return new Visitor(userId, userName, owner, false);
  }

  /** A name for decisions that must not depend on the run: the user id, else the name. */
  String who() {
    return userId.or(() -> userName).orElse("anonymous");
  }
}
