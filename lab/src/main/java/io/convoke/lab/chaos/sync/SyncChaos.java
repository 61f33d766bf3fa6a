package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.ChaosScenario;
import io.convoke.lab.chaos.ChaosSettings;
import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Verdict;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Whether a meeting is synced, whatever happens to the stores that know it. */
public final class SyncChaos implements ChaosScenario {
  @Override
  public String name() {
    return "sync";
  }

  @Override
  public String summary() {
    return "statuses are updated and read while Redis and Postgres come and go: no node goes back,"
        + " and all agree within 2 s";
  }

  @Override
  public Verdict run(long seed, ChaosSettings settings, Ground ground, Consumer<String> say)
      throws Exception {
    List<Step> plan = Planner.plan(seed, settings);
    say.accept(
        "seed %d: %d meetings, %d callers of each of %d servers"
            .formatted(seed, Run.MEETINGS, Run.CALLERS, settings.servers()));
    plan.forEach(step -> say.accept("  " + step));
    Path folder = ground.folder("sync-" + seed);
    ground.stores().redis().flush();
    try (Fleet fleet = new Fleet(ground, folder, settings.servers())) {
      return new Run(seed, settings.storm(), plan, ground, fleet).carryOut(folder);
    }
  }
}
