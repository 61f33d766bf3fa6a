package io.convoke.lab.chaos.recordings;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Kills servers at a point of a step, as far as that can be seen from outside. */
final class Killer {
  /** If no recording comes to the point by then, it is done all the same. */
  private static final Duration PATIENCE = Duration.ofSeconds(4);

  private static final Duration LOOK_EVERY = Duration.ofMillis(8);

  private final Rows rows;
  private final Fleet fleet;
  private int hits;

  Killer(Rows rows, Fleet fleet) {
    this.rows = rows;
    this.fleet = fleet;
  }

  /** How many kills met their point. */
  int hits() {
    return hits;
  }

  void carryOut(Step.KillServers step) throws SQLException {
    boolean committing =
        step.point() == Step.Point.COMMITTING || step.point() == Step.Point.ABORTED;
    rows.slow(committing ? Optional.of(step.step()) : Optional.empty());
    long since = rows.last();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean hit = false;
    while (!hit && System.nanoTime() - deadline < 0) {
      hit =
          switch (step.point()) {
            case RUNNING -> rows.reached(since, step.step(), "running");
            case DONE -> rows.reached(since, step.step(), "done");
            case COMMITTING, ABORTED -> !rows.committing().isEmpty();
          };
      if (!hit) {
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
    }
    hits += hit ? 1 : 0;
    fleet.down(
        step.servers(),
        () -> {
          end(step.point() == Step.Point.ABORTED);
          LockSupport.parkNanos(step.down().toNanos());
        });
  }

  private void end(boolean aborting) {
    try {
      List<Integer> backends = aborting ? rows.committing() : List.of();
      for (int backend : backends) {
        rows.abort(backend);
      }
      rows.slow(Optional.empty());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
