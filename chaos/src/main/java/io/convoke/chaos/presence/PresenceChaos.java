package io.convoke.chaos.presence;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.ReportingBot;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRetryType;
import io.convoke.simulator.webhook.WebhookSenderConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Checks participant sessions and counts when events are lost and servers die. */
public final class PresenceChaos implements ChaosScenario {
  /** Short enough that a room that empties during the storm starts a new meeting. */
  private static final Duration MEETING_END = Duration.ofSeconds(3);

  /** Folder of the bot's program. */
  private static final String BOT = "bot";

  /** Short and exact enough that almost each visit which no poll shows is in its history. */
  private static final SimulationTimings TIMINGS =
      SimulationTimings.DAILY
          .withMeetingEnd(MEETING_END)
          .withRecorded(PresenceRunConfig.RECORDED)
          .withGranularity(Duration.ofSeconds(1));

  private static final Duration FIRST_GAP = Duration.ofMillis(150);

  @Override
  public String name() {
    return "presence";
  }

  @Override
  public String summary() {
    return "participants join and leave, webhooks are lost, servers crash: sessions and counts are"
        + " right";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    PresencePlan plan = PresencePlanner.plan(seed, settings);
    plan.lines().forEach(output);
    Path folder = environment.folder("presence-" + seed);
    environment.stores().redis().flush();
    try (ServerCluster servers = new ServerCluster(environment, folder, settings.servers());
        Simulator platform = Simulator.start(options(plan, servers));
        PresenceRun presenceRun =
            new PresenceRun(
                plan,
                environment,
                servers,
                platform,
                new ReportingBot(folder.resolve(BOT), servers.urls().getLast()),
                new ReportingBot(folder.resolve(BOT), servers.urls().getLast()))) {
      platform.presence().timeError(PresenceRunConfig.TIME_ERROR);
      Map<String, String> started = PresenceRunConfig.settings(servers.on(platform));
      started.put("CONVOKE_MEETING_HOSTS", "127.0.0.1");
      started.put("CONVOKE_BOT_COMMAND", ReportingBot.command(folder.resolve(BOT)));
      servers.start("api,presence,bots", started);
      return presenceRun.carryOut(folder);
    }
  }

  private static SimulatorConfig options(PresencePlan plan, ServerCluster servers) {
    return SimulatorConfig.defaults()
        .withSeed(plan.seed())
        .withTimings(TIMINGS)
        .withSending(WebhookSenderConfig.DEFAULT.withFirstGap(FIRST_GAP))
        .withWebhook(
            new WebhookEndpointRequest(
                Optional.of(servers.webhookUrl()),
                Optional.of(servers.webhookSecret()),
                Optional.empty(),
                Optional.of(
                    plan.breaker()
                        ? WebhookRetryType.CIRCUIT_BREAKER
                        : WebhookRetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
