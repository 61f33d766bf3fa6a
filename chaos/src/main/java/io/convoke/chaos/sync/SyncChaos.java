package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.sync.rules.ShownRecords;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Checks the consistency of sync statuses when Redis, Postgres or servers fail. */
public final class SyncChaos implements ChaosScenario {
  private static final List<String> FLAGS = List.of("-XX:TieredStopAtLevel=1");

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
    String token = ServerCluster.randomKey();
    ServerCluster.ServerOptions options =
        new ServerCluster.ServerOptions(FLAGS, SyncPlanner.onNetwork(seed), Map.of());
    try (ServerCluster servers =
        new ServerCluster(environment, folder, settings.servers(), options)) {
      servers.start(
          "api,sync",
          Map.of(
              "CONVOKE_INTERNAL_TOKEN",
              token,
              "CONVOKE_SYNC_CACHE_TTL",
              SyncRun.CACHE_TTL.toSeconds() + "s",
              "CONVOKE_RATE_LIMIT",
              "10000",
              "CONVOKE_SYNC_STALL_AFTER",
              ShownRecords.STALLS.toSeconds() + "s"));
      return new SyncRun(seed, settings.faultPhase(), plan, environment, servers, token)
          .carryOut(folder);
    }
  }
}
