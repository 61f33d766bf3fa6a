package io.convoke.lab.chaos.durable;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import java.nio.file.Path;
import java.util.function.Consumer;

/** No workflow is lost and nothing is done twice, whatever happens to nodes and to Postgres. */
public final class DurableChaos implements ChaosScenario {
  @Override
  public String name() {
    return "durable";
  }

  @Override
  public String summary() {
    return "nodes of the engine and Postgres die at every step: every workflow ends once, every"
        + " effect is there once";
  }

  @Override
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    Plan plan = Planner.plan(seed, settings);
    plan.lines().forEach(say);
    Path folder = ground.folder("durable-" + seed);
    try (Run run = new Run(plan, settings.storm(), ground, folder)) {
      return run.carryOut();
    }
  }
}
