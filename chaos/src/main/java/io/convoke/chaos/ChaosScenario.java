package io.convoke.chaos;

import java.util.function.Consumer;

/** One named way to torment servers. */
public interface ChaosScenario {
  /** The word on the command line. */
  String name();

  /** One line: what happens and what must hold. */
  String summary();

  /** How hard it blows if nobody says otherwise. */
  default ChaosSettings usual() {
    return ChaosSettings.FULL;
  }

  /**
   * Runs once.
   *
   * @param say told the fault plan before it begins
   * @throws Exception when the run could not be made; a wrong history is no exception
   */
  RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> say)
      throws Exception;
}
