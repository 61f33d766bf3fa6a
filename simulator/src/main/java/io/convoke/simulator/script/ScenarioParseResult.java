package io.convoke.simulator.script;

import java.util.List;

/** A scenario file that was read. */
public sealed interface ScenarioParseResult {

  record ValidScenario(SimulationScript scenario) implements ScenarioParseResult {}

  /**
   * A file that is no scenario.
   *
   * @param faults one line each, naming the place
   */
  record InvalidScenario(List<String> faults) implements ScenarioParseResult {}
}
