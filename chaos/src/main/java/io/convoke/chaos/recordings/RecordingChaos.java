package io.convoke.chaos.recordings;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.webhook.WebhookEndpointRequest;
import io.convoke.simulator.webhook.WebhookRetryType;
import io.convoke.simulator.webhook.WebhookSenderConfig;
import java.nio.file.Path;
import java.time.Duration;
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
      long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> output)
      throws Exception {
    RecordingPlan recordingPlan = RecordingPlanner.plan(seed, settings);
    recordingPlan.lines().forEach(output);
    Path folder = chaosEnvironment.folder("recordings-" + seed);
    chaosEnvironment.stores().redis().flush();
    String secret = ServerCluster.randomKey();
    try (RecordingServers recordingServers =
            new RecordingServers(chaosEnvironment, folder, settings.servers());
        FakeCrm crm = new FakeCrm(secret);
        Simulator platform = Simulator.start(options(recordingPlan, recordingServers))) {
      FakeTranscriber fakeTranscriber = new FakeTranscriber(folder.resolve("transcriber"));
      recordingServers.start(platform, crm, secret, fakeTranscriber, recordingPlan.unlisted());
      try (RecordingRun recordingRun =
          new RecordingRun(
              recordingPlan, chaosEnvironment, recordingServers, platform, crm, fakeTranscriber)) {
        return recordingRun.carryOut(folder);
      }
    }
  }

  private static SimulatorConfig options(
      RecordingPlan recordingPlan, RecordingServers recordingServers) {
    return SimulatorConfig.defaults()
        .withSeed(recordingPlan.seed())
        .withTimings(SimulationTimings.DAILY.withProcessing(PROCESSING))
        .withSending(
            WebhookSenderConfig.DEFAULT.withFirstGap(
                recordingPlan.unlisted() ? PATIENT_GAP : FIRST_GAP))
        .withWebhook(
            new WebhookEndpointRequest(
                Optional.of(recordingServers.webhookUrl()),
                Optional.of(recordingServers.webhookSecret()),
                Optional.empty(),
                Optional.of(WebhookRetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
