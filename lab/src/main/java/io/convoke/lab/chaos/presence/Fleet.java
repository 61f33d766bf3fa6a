package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.Ground;
import io.convoke.lab.child.Programs;
import io.convoke.lab.child.ServerProcess;
import io.convoke.lab.sim.Simulator;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The real servers of one run, on one database and one Redis, each with a port that stays. */
final class Fleet implements AutoCloseable {
  private final String adminToken = randomKey();
  private final String webhookSecret = randomKey();
  private final String secretKey = randomKey();
  private final Ground ground;
  private final String databaseUrl;
  private final Path folder;
  private final List<Integer> ports;
  private final List<ServerProcess> servers = new ArrayList<>();

  Fleet(Ground ground, Path folder, int number) {
    this.ground = ground;
    this.folder = folder;
    this.databaseUrl = ground.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> Programs.freePort()).toList();
  }

  /** Starts all. The first one brings the schema, so the others follow it. */
  void start(Simulator platform) {
    for (int i = 0; i < ports.size(); i++) {
      servers.add(
          ServerProcess.start(
              ground.guardian(),
              List.of(
                  "serve",
                  "--port",
                  ports.get(i).toString(),
                  "--roles",
                  "api,presence",
                  "--data",
                  folder.resolve("server-" + i).toString()),
              settings(platform),
              log(i)));
    }
  }

  void kill(int server) {
    servers.get(server).kill();
  }

  void pause(int server, boolean paused) {
    servers.get(server).pause(paused);
  }

  /** Writes under an old epoch that the database refused, by the servers' own account. */
  long staleWritesRefused() throws IOException {
    long refused = 0;
    for (int i = 0; i < ports.size(); i++) {
      try (Stream<String> lines = Files.lines(log(i))) {
        refused += lines.filter(line -> line.contains("refused a stale write")).count();
      }
    }
    return refused;
  }

  private Path log(int server) {
    return folder.resolve("server-" + server + ".log");
  }

  void restart(int server) {
    servers.get(server).restart();
  }

  List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  /** Where the platform sends its events: to the first server. */
  URI webhookUrl() {
    return urls().getFirst().resolve("/webhooks/daily");
  }

  String webhookSecret() {
    return webhookSecret;
  }

  String adminToken() {
    return adminToken;
  }

  /** The name of the database, for looking at rows. */
  String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
  }

  private Map<String, String> settings(Simulator platform) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", databaseUrl);
    settings.put("CONVOKE_REDIS_URL", ground.stores().redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_DAILY_API_URL", platform.apiUrl().toString());
    settings.put("CONVOKE_DAILY_API_KEY", platform.apiKey());
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", webhookSecret);
    settings.put("CONVOKE_PRESENCE_RECONCILE_INTERVAL", Terms.RECONCILE.toMillis() + "ms");
    settings.put("CONVOKE_PRESENCE_COALESCE_WINDOW", "300ms");
    settings.put("CONVOKE_PRESENCE_MIN_POLL_INTERVAL", "300ms");
    settings.put("CONVOKE_MEETING_PROCESS_INTERVAL", "2s");
    settings.put("CONVOKE_RATE_LIMIT", "10000");
    return settings;
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
