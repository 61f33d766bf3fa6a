package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The server processes of one run, which serve sync statuses. */
final class SyncServers implements AutoCloseable {
  /** Short enough that records expire within a run. */
  static final Duration CACHE_TTL = Duration.ofSeconds(4);

  private final String internalToken = ServerCluster.randomKey();
  private final String adminToken = ServerCluster.randomKey();
  private final ServerCluster cluster;

  SyncServers(ChaosEnvironment environment, Path folder, int number) {
    this.cluster = new ServerCluster(environment, folder, number);
    cluster.start(
        "api,sync",
        Map.of(
            "CONVOKE_INTERNAL_TOKEN",
            internalToken,
            "CONVOKE_ADMIN_TOKEN",
            adminToken,
            "CONVOKE_SYNC_CACHE_TTL",
            CACHE_TTL.toSeconds() + "s"));
  }

  ServerCluster cluster() {
    return cluster;
  }

  List<URI> urls() {
    return cluster.urls();
  }

  String internalToken() {
    return internalToken;
  }

  String adminToken() {
    return adminToken;
  }

  /** Database name, for queries. */
  String database() {
    return cluster.database();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
