package io.convoke.lab.sim.script;

import java.util.List;

/** A scenario file that was read. */
public sealed interface Parsed {

  record Good(Scenario scenario) implements Parsed {}

  /**
   * A file that is no scenario.
   *
   * @param faults one line each, naming the place
   */
  record Faulty(List<String> faults) implements Parsed {}
}
