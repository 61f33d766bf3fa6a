package io.convoke.lab.chaos.dispatch;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Whether every accepted task comes to one end, whoever dies on the way. */
public final class DispatchChaos implements ChaosScenario {
  private static final int SERVERS = 3;

  @Override
  public String name() {
    return "dispatch";
  }

  @Override
  public String summary() {
    return "servers, pods and Redis die at every step: every accepted task ends once, one holder an"
        + " attempt, what was stopped does not start";
  }

  @Override
  public ChaosSettings usual() {
    return ChaosSettings.FULL.withServers(SERVERS);
  }

  @Override
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    Plan plan = Planner.plan(seed, settings);
    plan.lines().forEach(say);
    Path folder = ground.folder("dispatch-" + seed);
    ground.stores().redis().flush();
    Witness witness = new Witness(folder);
    try (Fleet fleet = new Fleet(ground, plan, folder, witness)) {
      fleet.start();
      try (Run run = new Run(plan, ground, fleet, witness, folder)) {
        return run.carryOut(settings.storm());
      }
    }
  }
}
