package io.convoke.chaos.recordings;

import io.convoke.chaos.FaultInjection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Kills servers at a point of a step, as far as that is observable from outside. */
final class ServerKiller {
  /** Kills them after this time even if no recording reached the point. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private static final Duration LOOK_EVERY = Duration.ofMillis(8);

  private final RecordingRows rows;
  private final FaultInjection injection;
  private int hits;

  ServerKiller(RecordingRows rows, FaultInjection injection) {
    this.rows = rows;
    this.injection = injection;
  }

  /** Number of kills that hit their point. */
  int hits() {
    return hits;
  }

  /**
   * Kills the servers of a step.
   *
   * @param recording which is to reach the point; any, if empty
   */
  void carryOut(RecordingPlanStep.KillRecordingServers step, Optional<String> recording)
      throws SQLException {
    boolean committing =
        step.point() == RecordingPlanStep.KillPoint.COMMITTING
            || step.point() == RecordingPlanStep.KillPoint.ABORTED;
    rows.slow(committing ? Optional.of(step.step()) : Optional.empty(), recording);
    long since = rows.last();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean hit = false;
    while (!hit && System.nanoTime() - deadline < 0) {
      hit =
          switch (step.point()) {
            case RUNNING -> rows.reached(since, step.step(), "running", recording);
            case DONE -> rows.reached(since, step.step(), "done", recording);
            case COMMITTING, ABORTED -> !rows.committing().isEmpty();
          };
      if (!hit) {
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
    hits += hit ? 1 : 0;
    injection.killed(
        step.servers(),
        () -> {
          end(step.point() == RecordingPlanStep.KillPoint.ABORTED);
          LockSupport.parkNanos(step.down().toNanos());
        });
  }

  private void end(boolean aborting) {
    try {
      List<Integer> backends = aborting ? rows.committing() : List.of();
      for (int backend : backends) {
        rows.abort(backend);
      }
      rows.slow(Optional.empty(), Optional.empty());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
