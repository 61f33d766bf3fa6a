package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorOptions;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;

/** No bot is lost, whatever happens to it, to its servers and to what it says. */
public final class BotChaos implements ChaosScenario {
  @Override
  public String name() {
    return "bots";
  }

  @Override
  public String summary() {
    return "bots, servers and callbacks die at every step: every bot ends, none runs on, limits"
        + " hold";
  }

  @Override
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    Plan plan = Planner.plan(seed, settings);
    plan.lines().forEach(say);
    Path folder = ground.folder("bots-" + seed);
    String mark = "chaos-" + UUID.randomUUID().toString().substring(0, 8);
    ground.stores().redis().flush();
    try (Simulator platform = Simulator.start(SimulatorOptions.defaults().withSeed(seed));
        Fleet fleet = new Fleet(ground, folder, mark, settings.servers());
        FaultyRelay relay = FaultyRelay.start(plan.path(), fleet.urls())) {
      fleet.start(relay.url());
      try (Run run = new Run(plan, ground, fleet, relay, platform, mark)) {
        return run.carryOut(folder);
      }
    }
  }
}
