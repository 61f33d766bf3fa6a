package io.convoke.chaos.bots;

import io.convoke.chaos.bots.rules.BotHistory.BotCall;
import io.convoke.chaos.bots.rules.BotHistory.BotEndState;
import io.convoke.chaos.bots.rules.BotHistory.ReplayResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Replays old calls after the end, with requests that must change nothing either, waits for the
 * servers to process them, and compares all rows.
 */
final class DelayedReplay {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** More than a sweep interval, so that an effect of a replay would show. */
  private static final Duration SETTLE = BotRunConfig.SWEEP.plusSeconds(1);

  private final CallbackFaultProxy relay;
  private final BotRows rows;
  private final BotObserver observer;
  private final LateCalls look;

  /** What users ask for after each replay. */
  interface LateCalls {
    void make() throws SQLException;
  }

  DelayedReplay(CallbackFaultProxy relay, BotRows rows, BotObserver observer, LateCalls look) {
    this.look = look;
    this.relay = relay;
    this.rows = rows;
    this.observer = observer;
  }

  /** Replays once after each of these waits. */
  ReplayResult after(List<Duration> waits) throws SQLException {
    List<BotCall> replays = new ArrayList<>();
    Map<String, List<String>> before = Map.of();
    for (Duration wait : waits) {
      lookOn(wait);
      if (before.isEmpty()) {
        before = rows.everything();
      }
      replays.addAll(relay.replay());
      look.make();
      lookOn(SETTLE);
    }
    return new ReplayResult(replays, before, rows.everything());
  }

  private void lookOn(Duration span) throws SQLException {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      List<BotEndState> _ = observer.observe();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }
}
