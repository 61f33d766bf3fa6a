package io.convoke.simulator.room;

import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Notices bots that vanish: a session whose last event stream broke, or that never opened one, is
 * disconnected unless a stream opens within the allowance.
 */
final class VanishedBotDetector {

  private static final class TrackedConnection {
    private int streams;
    private SimulationClock.ScheduledAction deadline;

    private TrackedConnection(SimulationClock.ScheduledAction deadline) {
      this.deadline = deadline;
    }
  }

  private final Map<String, TrackedConnection> open = new HashMap<>();
  private final SimulationState simulationState;
  private final SimulationClock time;
  private final SimulationTimings simulationTimings;

  VanishedBotDetector(
      SimulationState simulationState, SimulationClock time, SimulationTimings simulationTimings) {
    this.simulationState = simulationState;
    this.time = time;
    this.simulationTimings = simulationTimings;
  }

  synchronized void joined(String room, String sessionId) {
    open.put(
        sessionId,
        new TrackedConnection(deadline(room, sessionId, simulationTimings.firstStream())));
  }

  synchronized void opened(String sessionId) {
    TrackedConnection trackedConnection =
        open.computeIfAbsent(sessionId, id -> new TrackedConnection(() -> {}));
    trackedConnection.deadline.cancel();
    trackedConnection.streams++;
  }

  synchronized void broke(String room, String sessionId) {
    TrackedConnection trackedConnection = open.get(sessionId);
    if (trackedConnection != null && --trackedConnection.streams == 0) {
      trackedConnection.deadline = deadline(room, sessionId, simulationTimings.disconnect());
    }
  }

  /** The session is over, however it ended. */
  synchronized void ended(String sessionId) {
    TrackedConnection trackedConnection = open.remove(sessionId);
    if (trackedConnection != null) {
      trackedConnection.deadline.cancel();
    }
  }

  private SimulationClock.ScheduledAction deadline(
      String room, String sessionId, Duration allowance) {
    return time.after(time.scaled(allowance), () -> giveUp(room, sessionId));
  }

  private void giveUp(String room, String sessionId) {
    ended(sessionId);
    simulationState.leave(room, sessionId, LeaveReason.DISCONNECTED);
  }
}
