package io.convoke.simulator.time;

import java.time.Duration;
import java.time.InstantSource;

/**
 * The clock of one simulation; everything that waits in it uses this clock.
 *
 * <p>Every instant that leaves the simulator is wall-clock time, so that a server can compare it
 * with its clock. A speed factor therefore shortens scripted spans (a meeting of ten minutes, the
 * allowance of twenty seconds before a meeting ends) instead of scaling the clock; spans that a
 * caller measures itself, such as rate limits and presence lag, stay as they are.
 */
public interface SimulationClock extends InstantSource, AutoCloseable {

  /** How long a scripted span lasts on this clock. */
  Duration scaled(Duration scripted);

  /** Runs a short, non-blocking action once this span of this clock has passed. */
  ScheduledAction after(Duration span, Runnable action);

  @Override
  void close();

  /** An action that has not run yet. */
  interface ScheduledAction {
    /** Forgets the action; without effect once it has run. */
    void cancel();
  }
}
