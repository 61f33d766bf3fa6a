package io.convoke.chaos.durable;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
import io.convoke.simulator.process.ReleaseRotation;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Checks that no workflow is lost and no effect repeated when nodes or Postgres fail. */
public final class DurableChaos implements ChaosScenario {
  @Override
  public String name() {
    return "durable";
  }

  @Override
  public String summary() {
    return "engine nodes and Postgres fail at every step: every workflow ends once, every"
        + " effect happens once";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    FlowPlan plan = FlowPlanner.plan(seed, settings, ReleaseRotation.starts().isPresent());
    plan.lines().forEach(output);
    Path folder = environment.folder("durable-" + seed);
    try (FlowRun flowRun = new FlowRun(plan, settings.faultPhase(), environment, folder)) {
      return flowRun.carryOut();
    }
  }
}
