package io.convoke.lab.chaos.presence;

import io.convoke.lab.sim.world.JoinResult;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.World;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Moves people on the platform as the plan says. Used by one thread. */
final class People {
  private final World world;
  private final Map<String, Deque<String>> open = new HashMap<>();

  People(World world) {
    this.world = world;
  }

  void join(Step.Join step) {
    // One in three has no name: the platform allows it, so nothing may depend on names.
    boolean nameless = step.person().hashCode() % 3 == 0;
    Visitor visitor =
        new Visitor(
            Optional.of(step.person()),
            nameless ? Optional.empty() : Optional.of("Name of " + step.person()),
            false,
            true);
    if (world.join(step.room(), visitor) instanceof JoinResult.Joined(Session session)) {
      sessions(step.room(), step.person()).add(session.sessionId());
    }
  }

  void leave(Step.Leave step) {
    String session = sessions(step.room(), step.person()).poll();
    if (session != null) {
      boolean _ = world.leave(step.room(), session, LeaveReason.LEFT);
    }
  }

  /** Everybody goes, one after the other. */
  void leaveAll() {
    for (RoomView view : world.look()) {
      for (Session session : view.present()) {
        boolean _ = world.leave(view.room().name(), session.sessionId(), LeaveReason.LEFT);
      }
    }
    open.clear();
  }

  private Deque<String> sessions(String room, String person) {
    return open.computeIfAbsent(room + "/" + person, key -> new ArrayDeque<>());
  }
}
