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
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    BotPlan plan = BotPlanner.plan(seed, settings);
    plan.lines().forEach(output);
    Path folder = environment.folder("bots-" + seed);
    String mark = "chaos-" + UUID.randomUUID().toString().substring(0, 8);
    environment.stores().redis().flush();
    try (Simulator platform = Simulator.start(SimulatorConfig.defaults().withSeed(seed));
        BotServers servers =
            new BotServers(environment, folder, plan.deadlines(), settings.servers());
        CallbackFaultProxy relay = CallbackFaultProxy.start(plan.path(), servers.cluster().urls());
        BotRuntime runtime = hosting(plan, environment, folder, servers, mark, settings.bot())) {
      servers.start(relay.url(), runtime.settings());
      try (BotRun botRun = new BotRun(plan, environment, servers, runtime, relay, platform)) {
        return botRun.carryOut(folder);
      }
    }
  }

  private static BotRuntime hosting(
      BotPlan plan,
      ChaosEnvironment environment,
      Path folder,
      BotServers servers,
      String mark,
      Optional<String> bot)
      throws IOException {
    return plan.engine().isPresent()
        ? new DockerBotRuntime(
            environment.engine(FaultyBotImage::giveTo), folder, mark, plan.engine().get())
        : new ProcessBotRuntime(folder, servers.records(), mark, bot);
  }
}
