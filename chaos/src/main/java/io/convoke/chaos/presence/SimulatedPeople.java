package io.convoke.chaos.presence;

import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.Visitor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Joins and leaves people on the platform as planned. Single-threaded. */
final class SimulatedPeople {
  private final SimulationState state;
  private final Map<String, Deque<String>> open = new HashMap<>();

  SimulatedPeople(SimulationState state) {
    this.state = state;
  }

  void join(PresencePlanStep.JoinRoom step) {
    // One in three has no name: the platform allows it, so servers must not depend on names.
    boolean nameless = step.person().hashCode() % 3 == 0;
    Visitor visitor =
        new Visitor(
            Optional.of(step.person()),
            nameless ? Optional.empty() : Optional.of("Name of " + step.person()),
            false,
            true);
    if (state.join(step.room(), visitor)
        instanceof JoinResult.JoinedMeeting(RoomSession roomSession)) {
      sessions(step.room(), step.person()).add(roomSession.sessionId());
    }
  }

  void leave(PresencePlanStep.LeaveRoom step) {
    String session = sessions(step.room(), step.person()).poll();
    if (session != null) {
      boolean _ = state.leave(step.room(), session, LeaveReason.LEFT);
    }
  }

  /** All participants leave, one by one. */
  void leaveAll() {
    for (RoomView view : state.roomViews()) {
      for (RoomSession roomSession : view.present()) {
        boolean _ = state.leave(view.room().name(), roomSession.sessionId(), LeaveReason.LEFT);
      }
    }
    open.clear();
  }

  private Deque<String> sessions(String room, String person) {
    return open.computeIfAbsent(room + "/" + person, key -> new ArrayDeque<>());
  }
}
