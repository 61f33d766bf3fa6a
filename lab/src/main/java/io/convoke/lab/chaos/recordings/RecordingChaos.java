package io.convoke.lab.chaos.recordings;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Servers;
import io.convoke.lab.chaos.Verdict;
import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.SimulatorOptions;
import io.convoke.lab.sim.webhook.EndpointRequest;
import io.convoke.lab.sim.webhook.RetryType;
import io.convoke.lab.sim.webhook.SenderSettings;
import io.convoke.lab.sim.world.Timings;
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
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    Plan plan = Planner.plan(seed, settings);
    plan.lines().forEach(say);
    Path folder = ground.folder("recordings-" + seed);
    ground.stores().redis().flush();
    String secret = Servers.randomKey();
    try (Fleet fleet = new Fleet(ground, folder, settings.servers());
        CrmStandIn crm = new CrmStandIn(secret);
        Simulator platform = Simulator.start(options(plan, fleet))) {
      Ear ear = new Ear(folder.resolve("ear"));
      fleet.start(platform, crm, secret, ear, plan.unlisted());
      try (Run run = new Run(plan, ground, fleet, platform, crm, ear)) {
        return run.carryOut(folder);
      }
    }
  }

  private static SimulatorOptions options(Plan plan, Fleet fleet) {
    return SimulatorOptions.defaults()
        .withSeed(plan.seed())
        .withTimings(Timings.DAILY.withProcessing(PROCESSING))
        .withSending(SenderSettings.DEFAULT.withFirstGap(plan.unlisted() ? PATIENT_GAP : FIRST_GAP))
        .withWebhook(
            new EndpointRequest(
                Optional.of(fleet.webhookUrl()),
                Optional.of(fleet.webhookSecret()),
                Optional.empty(),
                Optional.of(RetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
