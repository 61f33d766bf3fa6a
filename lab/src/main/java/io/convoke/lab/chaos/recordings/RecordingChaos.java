package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.ChaosEnvironment;
import io.convoke.lab.chaos.ServerCluster;
import io.convoke.lab.chaos.RunReport;
import io.convoke.lab.crm.FakeCrm;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorConfig;
import io.convoke.lab.sim.webhook.WebhookEndpointRequest;
import io.convoke.lab.sim.webhook.WebhookRetryType;
import io.convoke.lab.sim.webhook.WebhookSenderConfig;
import io.convoke.lab.sim.state.SimulationTimings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Whether each recording becomes one transcript and one note, whatever dies on the way. */
public final class RecordingChaos implements ChaosScenario {
  private static final Duration FIRST_GAP = Duration.ofMillis(300);

  /** Where webhooks alone tell, the last try must come after all servers are back. */
  private static final Duration PATIENT_GAP = Duration.ofSeconds(1);

  private static final Duration PROCESSING = Duration.ofMillis(200);

  @Override
  public String name() {
    return "recordings";
  }

  @Override
  public String summary() {
    return "servers die at each step, downloads break, the CRM fails: one transcript, one note each";
  }

  @Override
  public RunReport run(long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> say)
      throws Exception {
    RecordingPlan recordingPlan = RecordingPlanner.plan(seed, settings);
    recordingPlan.lines().forEach(say);
    Path folder = chaosEnvironment.folder("recordings-" + seed);
    chaosEnvironment.stores().redis().flush();
    String secret = ServerCluster.randomKey();
    try (RecordingServers recordingServers = new RecordingServers(chaosEnvironment, folder, settings.servers());
        FakeCrm crm = new FakeCrm(secret);
        Simulator platform = Simulator.start(options(recordingPlan, recordingServers))) {
      FakeTranscriber fakeTranscriber = new FakeTranscriber(folder.resolve("ear"));
      recordingServers.start(platform, crm, secret, fakeTranscriber, recordingPlan.unlisted());
      try (RecordingRun recordingRun = new RecordingRun(recordingPlan, chaosEnvironment, recordingServers, platform, crm, fakeTranscriber)) {
        return recordingRun.carryOut(folder);
      }
    }
  }

  private static SimulatorConfig options(RecordingPlan recordingPlan, RecordingServers recordingServers) {
    return SimulatorConfig.defaults()
        .withSeed(recordingPlan.seed())
        .withTimings(SimulationTimings.DAILY.withProcessing(PROCESSING))
        .withSending(WebhookSenderConfig.DEFAULT.withFirstGap(recordingPlan.unlisted() ? PATIENT_GAP : FIRST_GAP))
        .withWebhook(
            new WebhookEndpointRequest(
                Optional.of(recordingServers.webhookUrl()),
                Optional.of(recordingServers.webhookSecret()),
                Optional.empty(),
                Optional.of(WebhookRetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
