package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Checks that every accepted task ends exactly once when servers, pods or Redis fail. */
public final class DispatchChaos implements ChaosScenario {
  private static final int SERVERS = 3;

  @Override
  public String name() {
    return "dispatch";
  }

  @Override
  public String summary() {
    return "servers, pods and Redis fail at every step: every accepted task ends once, one holder"
        + " an attempt, a stopped task does not start";
  }

  @Override
  public ChaosSettings usual() {
    return ChaosSettings.FULL.withServers(SERVERS);
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    DispatchPlan plan = DispatchPlanner.plan(seed, settings);
    plan.lines().forEach(output);
    Path folder = environment.folder("dispatch-" + seed);
    environment.stores().redis().flush();
    TaskObservations observations = new TaskObservations(folder);
    try (DispatchCluster cluster = new DispatchCluster(environment, plan, folder, observations)) {
      cluster.start();
      try (DispatchRun dispatchRun =
          new DispatchRun(plan, environment, cluster, observations, folder)) {
        return dispatchRun.carryOut(settings.faultPhase());
      }
    }
  }
}
