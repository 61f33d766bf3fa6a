package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.RunReport;
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
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment chaosEnvironment, Consumer<String> say)
      throws Exception {
    List<SyncFault> plan = SyncPlanner.plan(seed, settings);
    say.accept(
        "seed %d: %d meetings, %d callers of each of %d servers"
            .formatted(seed, SyncRun.MEETINGS, SyncRun.CALLERS, settings.servers()));
    plan.forEach(syncFault -> say.accept("  " + syncFault));
    Path folder = chaosEnvironment.folder("sync-" + seed);
    chaosEnvironment.stores().redis().flush();
    try (SyncServers syncServers = new SyncServers(chaosEnvironment, folder, settings.servers())) {
      return new SyncRun(seed, settings.storm(), plan, chaosEnvironment, syncServers)
          .carryOut(folder);
    }
  }
}
