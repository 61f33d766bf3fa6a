package io.convoke.chaos.rooms;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Checks rooms with real media: presence, recordings and words, when any of their programs dies.
 */
public final class RoomChaos implements ChaosScenario {
  private static final Duration PHASE = Duration.ofSeconds(48);

  @Override
  public String name() {
    return "rooms";
  }

  @Override
  public String summary() {
    return "people speak in a room of a real Janus, and it, bot, browser, pod, ffmpeg die: presence,"
        + " recordings, gaps and words are right";
  }

  @Override
  public ChaosSettings usual() {
    return ChaosSettings.FULL.withStorm(PHASE);
  }

  /** A shorter one has one fault. */
  @Override
  public Duration mutantPhase() {
    return PHASE;
  }

  @Override
  public boolean takesFaults() {
    return false;
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    RoomPlan plan = RoomPlan.of(seed, settings);
    plan.lines().forEach(output);
    Path folder = environment.folder("rooms-" + seed);
    environment.stores().redis().flush();
    try (RoomRun run = new RoomRun(plan, environment, folder, settings.servers(), output)) {
      return run.carryOut();
    }
  }
}
