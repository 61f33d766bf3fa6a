package io.convoke.lab.chaos.bots;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorOptions;
import java.io.IOException;
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
        Fleet fleet = new Fleet(ground, folder, plan.deadlines(), settings.servers());
        FaultyRelay relay = FaultyRelay.start(plan.path(), fleet.urls());
        Hosting hosting = hosting(plan, ground, folder, fleet, mark)) {
      fleet.start(relay.url(), hosting.settings());
      try (Run run = new Run(plan, ground, fleet, hosting, relay, platform)) {
        return run.carryOut(folder);
      }
    }
  }

  private static Hosting hosting(Plan plan, Ground ground, Path folder, Fleet fleet, String mark)
      throws IOException {
    return plan.engine().isPresent()
        ? new InContainers(ground.engine(LyingImage::giveTo), folder, mark, plan.engine().get())
        : new OnMachine(folder, fleet.records(), mark);
  }
}
