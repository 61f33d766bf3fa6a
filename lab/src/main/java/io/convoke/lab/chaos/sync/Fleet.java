package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.chaos.Servers;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The real servers of one run, which keep sync statuses. */
final class Fleet implements AutoCloseable {
  private final String internalToken = Servers.randomKey();
  private final Servers servers;

  Fleet(Ground ground, Path folder, int number) {
    this.servers = new Servers(ground, folder, number);
    servers.start("api,sync", Map.of("CONVOKE_INTERNAL_TOKEN", internalToken));
  }

  void kill(int server) {
    servers.kill(server);
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
