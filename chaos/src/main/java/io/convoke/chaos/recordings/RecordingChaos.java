package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.ReportingBot;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRetryType;
import io.convoke.simulator.webhook.WebhookSenderConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks that each recording becomes one transcript and one note when servers, downloads,
 * transcriber or CRM fail.
 */
public final class RecordingChaos implements ChaosScenario {
  private static final Duration FIRST_GAP = Duration.ofMillis(300);

  /** With webhooks as the only source, the last retry must come after all servers are back. */
  private static final Duration PATIENT_GAP = Duration.ofSeconds(1);

  private static final String BOT = "bot";

  private static final Duration PROCESSING = Duration.ofMillis(200);

  @Override
  public String name() {
    return "recordings";
  }

  @Override
  public String summary() {
    return "servers crash at each step, downloads break, the CRM fails: one transcript, one note"
        + " each";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    RecordingPlan plan = RecordingPlanner.plan(seed, settings);
    plan.lines().forEach(output);
    Path folder = environment.folder("recordings-" + seed);
    environment.stores().redis().flush();
    String secret = ServerCluster.randomKey();
    try (ServerCluster servers = new ServerCluster(environment, folder, settings.servers());
        FakeCrm crm = new FakeCrm(secret);
        Simulator platform = Simulator.start(options(plan, servers))) {
      FakeTranscriber transcriber = new FakeTranscriber(folder.resolve("transcriber"));
      Path blobs = folder.resolve("blobs");
      Map<String, String> started = new HashMap<>(servers.on(platform));
      started.put("CONVOKE_RECORDING_POLL_INTERVAL", plan.unlisted() ? "1h" : "2s");
      started.put("CONVOKE_BLOB_STORE", "file:" + blobs);
      started.put("CONVOKE_TRANSCRIBER", "command:" + transcriber.command());
      started.put("CONVOKE_CRM_URL", crm.notesUrl().toString());
      started.put("CONVOKE_CRM_SECRET", secret);
      started.put("CONVOKE_RATE_LIMIT", "10000");
      started.put("CONVOKE_MEETING_HOSTS", "127.0.0.1");
      started.put("CONVOKE_BOT_COMMAND", ReportingBot.command(folder.resolve(BOT)));
      // The others' programs never report, and their meetings are to last.
      started.put("CONVOKE_BOTS_RESERVED_TIMEOUT", "1h");
      URI url = servers.urls().getLast();
      ReportingBot bot = new ReportingBot(folder.resolve(BOT), url);
      UploadingBot whole = new UploadingBot(bot, url, "upl-oade-dab", "uploaded-" + seed);
      ReportingBot another = new ReportingBot(folder.resolve(BOT), url);
      UploadingBot brokenOff = new UploadingBot(another, url, "bro-keno-ffx", "broken-off-" + seed);
      servers.start("api,presence,bots,recordings,durable,sync", started);
      try (RecordingRun recordingRun =
          new RecordingRun(
              plan, environment, servers, blobs, platform, crm, transcriber, whole, brokenOff)) {
        return recordingRun.carryOut(folder);
      }
    }
  }

  private static SimulatorConfig options(RecordingPlan plan, ServerCluster servers) {
    return SimulatorConfig.defaults()
        .withSeed(plan.seed())
        .withTimings(SimulationTimings.DAILY.withProcessing(PROCESSING))
        .withSending(
            WebhookSenderConfig.DEFAULT.withFirstGap(plan.unlisted() ? PATIENT_GAP : FIRST_GAP))
        .withWebhook(
            new WebhookEndpointRequest(
                Optional.of(servers.webhookUrl()),
                Optional.of(servers.webhookSecret()),
                Optional.empty(),
                Optional.of(WebhookRetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
