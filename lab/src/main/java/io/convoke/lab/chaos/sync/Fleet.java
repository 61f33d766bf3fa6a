package io.convoke.lab.chaos.sync;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.child.Programs;
import io.convoke.lab.child.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The real servers of one run, on one database and one Redis, each with a port that stays. */
final class Fleet implements AutoCloseable {
  private final String internalToken = randomKey();
  private final String databaseUrl;
  private final List<Integer> ports;
  private final List<ServerProcess> servers = new ArrayList<>();

  Fleet(Ground ground, Path folder, int number) {
    this.databaseUrl = ground.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> Programs.freePort()).toList();
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_REDIS_URL", ground.stores().redis().url());
    settings.put("CONVOKE_SECRET_KEY", randomKey());
    settings.put("CONVOKE_INTERNAL_TOKEN", internalToken);
    for (int i = 0; i < ports.size(); i++) {
      servers.add(
          ServerProcess.start(
              ground.guardian(),
              List.of(
                  "serve",
                  "--port",
                  ports.get(i).toString(),
                  "--roles",
                  "api,sync",
                  "--data",
                  folder.resolve("server-" + i).toString()),
              settings,
              folder.resolve("server-" + i + ".log")));
    }
  }

  void kill(int server) {
    servers.get(server).kill();
  }

  void restart(int server) {
    servers.get(server).restart();
  }

  void pause(int server, boolean paused) {
    servers.get(server).pause(paused);
  }

  List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  String internalToken() {
    return internalToken;
  }

  /** The name of the database, for looking at rows. */
  String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
