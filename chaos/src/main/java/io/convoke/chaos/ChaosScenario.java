package io.convoke.chaos;

import java.time.Duration;
import java.util.function.Consumer;

/** A named chaos scenario. */
public interface ChaosScenario {
  /** Name on the command line. */
  String name();

  /** One-line summary of the faults and the invariants. */
  String summary();

  /** Default settings. */
  default ChaosSettings usual() {
    return ChaosSettings.FULL;
  }

  /** Length of the faults in runs of mutants, of which there are many. */
  default Duration mutantPhase() {
    return Duration.ofSeconds(8);
  }

  /**
   * Runs the scenario once.
   *
   * @param output receives the fault plan before the run starts
   * @throws Exception if the run could not be carried out; violations are not exceptions
   */
  RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception;

  /** Whether {@code --fault} may add faults to its plan. */
  default boolean takesFaults() {
    return true;
  }
}
