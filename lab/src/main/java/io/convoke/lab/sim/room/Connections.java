package io.convoke.lab.sim.room;

import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.Timings;
import io.convoke.lab.sim.world.World;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Notices bots that vanish: a session whose last event stream broke, or that never opened one, is
 * disconnected unless a stream opens within the allowance.
 */
final class Connections {

  private static final class Connection {
    private int streams;
    private SimTime.Pending deadline;

    private Connection(SimTime.Pending deadline) {
      this.deadline = deadline;
    }
  }

  private final Map<String, Connection> open = new HashMap<>();
  private final World world;
  private final SimTime time;
  private final Timings timings;

  Connections(World world, SimTime time, Timings timings) {
    this.world = world;
    this.time = time;
    this.timings = timings;
  }

  synchronized void joined(String room, String sessionId) {
    open.put(sessionId, new Connection(deadline(room, sessionId, timings.firstStream())));
  }

  synchronized void opened(String sessionId) {
    Connection connection = open.computeIfAbsent(sessionId, id -> new Connection(() -> {}));
    connection.deadline.cancel();
    connection.streams++;
  }

  synchronized void broke(String room, String sessionId) {
    Connection connection = open.get(sessionId);
    if (connection != null && --connection.streams == 0) {
      connection.deadline = deadline(room, sessionId, timings.disconnect());
    }
  }

  /** The session is over, however it ended. */
  synchronized void ended(String sessionId) {
    Connection connection = open.remove(sessionId);
    if (connection != null) {
      connection.deadline.cancel();
    }
  }

  private SimTime.Pending deadline(String room, String sessionId, Duration allowance) {
    return time.after(time.scaled(allowance), () -> giveUp(room, sessionId));
  }

  private void giveUp(String room, String sessionId) {
    ended(sessionId);
    world.leave(room, sessionId, LeaveReason.DISCONNECTED);
  }
}
