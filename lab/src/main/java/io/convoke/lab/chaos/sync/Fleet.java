package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Servers;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** The real servers of one run, which keep sync statuses. */
final class Fleet implements AutoCloseable {
  /** Short enough that a run sees records expire. */
  static final Duration CACHE_TTL = Duration.ofSeconds(4);

  private static final int NODES = 1_000;

  private final String internalToken = Servers.randomKey();
  private final Servers servers;

  /** How often each server was about to be killed, and was. */
  private final AtomicIntegerArray nodes;

  Fleet(Ground ground, Path folder, int number) {
    this.servers = new Servers(ground, folder, number);
    this.nodes = new AtomicIntegerArray(number);
    servers.start(
        "api,sync",
        Map.of(
            "CONVOKE_INTERNAL_TOKEN",
            internalToken,
            "CONVOKE_SYNC_CACHE_TTL",
            CACHE_TTL.toSeconds() + "s"));
  }

  void kill(int server) {
    int _ = nodes.incrementAndGet(server);
    servers.kill(server);
    int _ = nodes.incrementAndGet(server);
  }

  void restart(int server) {
    servers.restart(server);
  }

  void pause(int server, boolean paused) {
    servers.pause(server, paused);
  }

  List<URI> urls() {
    return servers.urls();
  }

  /** The process that a call which begins now reaches: another number after each restart. */
  int node(int server) {
    return server * NODES + nodes.get(server);
  }

  String internalToken() {
    return internalToken;
  }

  /** The name of the database, for looking at rows. */
  String database() {
    return servers.database();
  }

  @Override
  public void close() {
    servers.close();
  }
}
