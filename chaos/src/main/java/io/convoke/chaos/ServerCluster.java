package io.convoke.chaos;

import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** The server processes of one run, on a fresh database and Redis, each on a fixed port. */
public final class ServerCluster implements AutoCloseable {
  private static final int LIVES_MAX = 1_000;

  /** The ways of one server to the stores. */
  private record StorePaths(BlackholeProxy redis, BlackholeProxy postgres) {
    void close() {
      try (redis;
          postgres) {
        // Closes both.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final String secretKey = randomKey();
  private final ChaosEnvironment chaosEnvironment;
  private final String databaseUrl;
  private final Path folder;
  private final List<Integer> ports;
  private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();

  /** Per server, its ways to the stores, if the injector commands them. */
  private final List<StorePaths> paths = new ArrayList<>();

  private String adminToken = "";

  /** Per server, how often an end was begun, and completed. */
  private final AtomicIntegerArray lives;

  public ServerCluster(ChaosEnvironment chaosEnvironment, Path folder, int number) {
    this.chaosEnvironment = chaosEnvironment;
    this.folder = folder;
    this.databaseUrl = chaosEnvironment.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> InstalledPrograms.freePort()).toList();
    this.lives = new AtomicIntegerArray(number);
  }

  /**
   * Starts all. The first server migrates the schema, so the others start after it.
   *
   * @param roles value of {@code --roles}
   * @param more settings in addition to those of the stores
   */
  public void start(String roles, Map<String, String> more) {
    start(roles, more, Optional.empty());
  }

  /** The same, with one folder of data for all servers. */
  public void start(String roles, Map<String, String> more, Optional<Path> data) {
    Map<String, String> settings = new HashMap<>(stores());
    settings.putAll(more);
    adminToken = settings.getOrDefault("CONVOKE_ADMIN_TOKEN", "");
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
                  data.orElse(folder.resolve("server-" + i)).toString()),
              onNetwork(settings),
              log(i)));
    }
  }

  /** The way of a server to a store. */
  BlackholeProxy path(int server, Fault.Store store) {
    return switch (store) {
      case REDIS -> paths.get(server).redis();
      case POSTGRES -> paths.get(server).postgres();
    };
  }

  /** Opens event streams as the admin, which nothing reads. */
  StalledClients stall(int number) {
    return StalledClients.open(urls(), adminToken, number);
  }

  /** Stops a server as an operator would. */
  public void stop(int server) {
    int _ = lives.incrementAndGet(server);
    servers.get(server).stop();
    int _ = lives.incrementAndGet(server);
  }

  public void kill(int server) {
    int _ = lives.incrementAndGet(server);
    servers.get(server).kill();
    int _ = lives.incrementAndGet(server);
  }

  /** The server of such a number. */
  public static int serverOf(int process) {
    return process / LIVES_MAX;
  }

  /** Number of the process that receives a call made now; increases with each restart. */
  public int process(int server) {
    return server * LIVES_MAX + lives.get(server);
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

  /** Settings of a program on the same stores. */
  public Map<String, String> stores() {
    return Map.of(
        "CONVOKE_DATABASE_URL", databaseUrl,
        "CONVOKE_REDIS_URL", chaosEnvironment.stores().redis().url(),
        "CONVOKE_SECRET_KEY", secretKey);
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

  /** The settings with ways of this server's own to the stores, if they can be disturbed. */
  private Map<String, String> onNetwork(Map<String, String> settings) {
    if (!chaosEnvironment.onNetwork()) {
      return settings;
    }
    BlackholeProxy redis = proxy(chaosEnvironment.stores().redis().url());
    BlackholeProxy postgres = proxy(databaseUrl);
    paths.add(new StorePaths(redis, postgres));
    Map<String, String> own = new HashMap<>(settings);
    own.put("CONVOKE_DATABASE_URL", through(databaseUrl, postgres));
    own.put("CONVOKE_REDIS_URL", through(chaosEnvironment.stores().redis().url(), redis));
    return own;
  }

  private static BlackholeProxy proxy(String url) {
    try {
      return new BlackholeProxy(URI.create(url).getPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String through(String url, BlackholeProxy path) {
    return url.replace(":" + URI.create(url).getPort(), ":" + path.port());
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
    paths.forEach(StorePaths::close);
  }
}
