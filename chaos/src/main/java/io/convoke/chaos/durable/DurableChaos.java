package io.convoke.chaos.durable;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
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
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> say)
      throws Exception {
    FlowPlan flowPlan = FlowPlanner.plan(seed, settings);
    flowPlan.lines().forEach(say);
    Path folder = chaosEnvironment.folder("durable-" + seed);
    try (FlowRun flowRun = new FlowRun(flowPlan, settings.storm(), chaosEnvironment, folder)) {
      return flowRun.carryOut();
    }
  }
}
