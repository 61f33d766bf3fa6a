package io.convoke.chaos;

import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The server processes of one run, on a fresh database and Redis, each on a fixed port. */
public final class ServerCluster implements AutoCloseable {
  private final String secretKey = randomKey();
  private final ChaosEnvironment chaosEnvironment;
  private final String databaseUrl;
  private final Path folder;
  private final List<Integer> ports;
  private final List<ServerProcess> servers = new ArrayList<>();

  public ServerCluster(ChaosEnvironment chaosEnvironment, Path folder, int number) {
    this.chaosEnvironment = chaosEnvironment;
    this.folder = folder;
    this.databaseUrl = chaosEnvironment.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> InstalledPrograms.freePort()).toList();
  }

  /**
   * Starts all. The first server migrates the schema, so the others start after it.
   *
   * @param roles value of {@code --roles}
   * @param more settings in addition to those of the stores
   */
  public void start(String roles, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_REDIS_URL", chaosEnvironment.stores().redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    for (int i = 0; i < ports.size(); i++) {
      servers.add(
          ServerProcess.start(
              chaosEnvironment.guardian(),
              List.of(
                  "serve",
                  "--port",
                  ports.get(i).toString(),
                  "--roles",
                  roles,
                  "--data",
                  folder.resolve("server-" + i).toString()),
              settings,
              log(i)));
    }
  }

  public void kill(int server) {
    servers.get(server).kill();
  }

  public void pause(int server, boolean paused) {
    servers.get(server).pause(paused);
  }

  public void restart(int server) {
    servers.get(server).restart();
  }

  public int number() {
    return ports.size();
  }

  public Path log(int server) {
    return folder.resolve("server-" + server + ".log");
  }

  public List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  /** Database name, for queries. */
  public String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  /** A random key. */
  public static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
  }
}
