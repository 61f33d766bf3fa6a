package io.convoke.demo;

import io.convoke.simulator.Simulator;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A participant joins and Daily's webhook is dropped: only the reconciliation finds them. They
 * leave after a while; a meeting with someone in it would never end, nor its bot, nor its snapshot
 * task.
 */
final class LostArrival {
  private static final String NAME = "Noor Haddad";

  private final Simulator simulator;
  private final DemoLog demoLog;
  private final Duration stay;

  /** When they joined, by room and name, until it was detected. */
  private final Map<String, Instant> lost = new ConcurrentHashMap<>();

  LostArrival(Simulator simulator, DemoLog demoLog, Duration stay) {
    this.simulator = simulator;
    this.demoLog = demoLog;
    this.stay = stay;
  }

  /** Returns when they have left. */
  void visit(String room) {
    lost.put(room + NAME, Instant.now());
    simulator
        .faults()
        .set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on("participant.joined " + room).times(1));
    // The webhook of a wait in the lobby would be dropped instead.
    JoinResult joined = simulator.world().welcome(room, Visitor.named(NAME).withUserId("noor"));
    demoLog.log(room, NAME + " joins, the demo drops the webhook");
    if (joined instanceof JoinResult.JoinedMeeting(RoomSession session)) {
      LockSupport.parkNanos(stay.toNanos());
      simulator.world().leave(room, session.sessionId(), LeaveReason.LEFT);
    }
  }

  /** What the log adds about a participant that Convoke detected; empty if no webhook was lost. */
  String detected(String room, String name, String source) {
    return Optional.ofNullable(lost.remove(room + name))
        .map(since -> Duration.between(since, Instant.now()).toSeconds())
        .map(s -> "   detected after " + Math.max(1, s) + " s by " + source)
        .map(found -> found + ", without the webhook")
        .orElse("");
  }
}
