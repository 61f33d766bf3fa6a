package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
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

/** Who is in the room, whatever happens to the events that say so. */
public final class PresenceChaos implements ChaosScenario {
  /** So short that a room that empties in a storm can see one meeting end and the next begin. */
  private static final Duration MEETING_END = Duration.ofSeconds(3);

  private static final Duration FIRST_GAP = Duration.ofMillis(150);

  @Override
  public String name() {
    return "presence";
  }

  @Override
  public String summary() {
    return "people come and go, webhooks are lost, servers die: sessions and counts come out right";
  }

  @Override
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    Plan plan = Planner.plan(seed, settings);
    plan.lines().forEach(say);
    Path folder = ground.folder("presence-" + seed);
    ground.stores().redis().flush();
    try (Fleet fleet = new Fleet(ground, folder, settings.servers());
        Simulator platform = Simulator.start(options(plan, fleet));
        Run run = new Run(plan, ground, fleet, platform)) {
      platform.presence().timeError(Terms.TIME_ERROR);
      fleet.start(platform);
      return run.carryOut(folder);
    }
  }

  private static SimulatorOptions options(Plan plan, Fleet fleet) {
    return SimulatorOptions.defaults()
        .withSeed(plan.seed())
        .withTimings(Timings.DAILY.withMeetingEnd(MEETING_END))
        .withSending(SenderSettings.DEFAULT.withFirstGap(FIRST_GAP))
        .withWebhook(
            new EndpointRequest(
                Optional.of(fleet.webhookUrl()),
                Optional.of(fleet.webhookSecret()),
                Optional.empty(),
                Optional.of(plan.breaker() ? RetryType.CIRCUIT_BREAKER : RetryType.EXPONENTIAL),
                Optional.empty()));
  }
}
