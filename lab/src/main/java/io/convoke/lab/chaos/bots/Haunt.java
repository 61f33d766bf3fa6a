package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.bots.verdict.Bot;
import io.convoke.lab.chaos.bots.verdict.BotCall;
import io.convoke.lab.chaos.bots.verdict.Haunting;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * After the end: waits, lets old calls come again, gives the servers time to be misled by them, and
 * compares all rows.
 */
final class Haunt {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** A sweep and more, in which something that was stirred up would move. */
  private static final Duration SETTLE = Terms.SWEEP.plusSeconds(1);

  private final FaultyRelay relay;
  private final Rows rows;
  private final Watch watch;

  Haunt(FaultyRelay relay, Rows rows, Watch watch) {
    this.relay = relay;
    this.rows = rows;
    this.watch = watch;
  }

  /** Once after each of these waits. */
  Haunting after(List<Duration> waits) throws SQLException {
    List<BotCall> ghosts = new ArrayList<>();
    Map<String, List<String>> before = Map.of();
    for (Duration wait : waits) {
      lookOn(wait);
      if (before.isEmpty()) {
        before = rows.everything();
      }
      ghosts.addAll(relay.haunt());
      lookOn(SETTLE);
    }
    return new Haunting(ghosts, before, rows.everything());
  }

  private void lookOn(Duration span) throws SQLException {
    long end = System.nanoTime() + span.toNanos();
    while (System.nanoTime() - end < 0) {
      List<Bot> _ = watch.look();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }
}
