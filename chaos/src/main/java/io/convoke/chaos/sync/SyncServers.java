package io.convoke.chaos.sync;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The server processes of one run, which serve sync statuses. */
final class SyncServers implements AutoCloseable {
  /** Short enough that records expire within a run. */
  static final Duration CACHE_TTL = Duration.ofSeconds(4);

  private static final int NODES = 1_000;

  private final String internalToken = ServerCluster.randomKey();
  private final ServerCluster serverCluster;

  /** Per server, how often a kill was begun, and completed. */
  private final AtomicIntegerArray nodes;

  SyncServers(ChaosEnvironment chaosEnvironment, Path folder, int number) {
    this.serverCluster = new ServerCluster(chaosEnvironment, folder, number);
    this.nodes = new AtomicIntegerArray(number);
    serverCluster.start(
        "api,sync",
        Map.of(
            "CONVOKE_INTERNAL_TOKEN",
            internalToken,
            "CONVOKE_SYNC_CACHE_TTL",
            CACHE_TTL.toSeconds() + "s"));
  }

  void kill(int server) {
    int _ = nodes.incrementAndGet(server);
    serverCluster.kill(server);
    int _ = nodes.incrementAndGet(server);
  }

  void restart(int server) {
    serverCluster.restart(server);
  }

  void pause(int server, boolean paused) {
    serverCluster.pause(server, paused);
  }

  List<URI> urls() {
    return serverCluster.urls();
  }

  /** Number of the process that receives a call made now; increases with each restart. */
  int node(int server) {
    return server * NODES + nodes.get(server);
  }

  String internalToken() {
    return internalToken;
  }

  /** Database name, for queries. */
  String database() {
    return serverCluster.database();
  }

  @Override
  public void close() {
    serverCluster.close();
  }
}
