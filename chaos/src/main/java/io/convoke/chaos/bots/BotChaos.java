package io.convoke.chaos.bots;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Checks that no bot is lost when bots, servers or callbacks fail. */
public final class BotChaos implements ChaosScenario {
  @Override
  public String name() {
    return "bots";
  }

  @Override
  public String summary() {
    return "bots, servers and callbacks fail at every step: every bot ends, none runs on, limits"
        + " hold";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> output)
      throws Exception {
    BotPlan botPlan = BotPlanner.plan(seed, settings);
    botPlan.lines().forEach(output);
    Path folder = chaosEnvironment.folder("bots-" + seed);
    String mark = "chaos-" + UUID.randomUUID().toString().substring(0, 8);
    chaosEnvironment.stores().redis().flush();
    try (Simulator platform = Simulator.start(SimulatorConfig.defaults().withSeed(seed));
        BotServers botServers =
            new BotServers(chaosEnvironment, folder, botPlan.deadlines(), settings.servers());
        CallbackFaultProxy relay = CallbackFaultProxy.start(botPlan.path(), botServers.urls());
        BotRuntime botRuntime =
            hosting(botPlan, chaosEnvironment, folder, botServers, mark, settings.bot())) {
      botServers.start(relay.url(), botRuntime.settings());
      try (BotRun botRun =
          new BotRun(botPlan, chaosEnvironment, botServers, botRuntime, relay, platform)) {
        return botRun.carryOut(folder);
      }
    }
  }

  private static BotRuntime hosting(
      BotPlan botPlan,
      ChaosEnvironment chaosEnvironment,
      Path folder,
      BotServers botServers,
      String mark,
      Optional<String> bot)
      throws IOException {
    return botPlan.engine().isPresent()
        ? new DockerBotRuntime(
            chaosEnvironment.engine(FaultyBotImage::giveTo), folder, mark, botPlan.engine().get())
        : new ProcessBotRuntime(folder, botServers.records(), mark, bot);
  }
}
