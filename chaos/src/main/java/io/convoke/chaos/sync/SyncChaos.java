package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.RunReport;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Checks the consistency of sync statuses when Redis, Postgres or servers fail. */
public final class SyncChaos implements ChaosScenario {
  @Override
  public String name() {
    return "sync";
  }

  @Override
  public String summary() {
    return "updates and reads while Redis and Postgres fail: no node goes backwards,"
        + " and all agree within 2 s";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    List<Fault> plan = SyncPlanner.plan(seed, settings);
    output.accept(
        "seed %d: %d meetings, %d callers of each of %d servers"
            .formatted(seed, SyncRun.MEETINGS, SyncRun.CALLERS, settings.servers()));
    plan.forEach(fault -> output.accept("  " + fault));
    Path folder = environment.folder("sync-" + seed);
    environment.stores().redis().flush();
    try (SyncServers servers = new SyncServers(environment, folder, settings.servers())) {
      return new SyncRun(seed, settings.faultPhase(), plan, environment, servers).carryOut(folder);
    }
  }
}
