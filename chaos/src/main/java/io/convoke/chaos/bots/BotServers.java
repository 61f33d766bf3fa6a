package io.convoke.chaos.bots;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.bots.rules.BotStateLimits;
import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * The server processes of one run, on one database, one Redis and one folder of bots, each on a
 * fixed port.
 */
final class BotServers implements AutoCloseable {
  private static final int RATE_LIMIT = 10_000;

  private final String adminToken = randomKey();
  private final String secretKey = randomKey();
  private final ChaosEnvironment chaosEnvironment;
  private final String databaseUrl;
  private final Path folder;
  private final BotStateLimits botStateLimits;
  private final List<Integer> ports;
  private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();

  BotServers(
      ChaosEnvironment chaosEnvironment, Path folder, BotStateLimits botStateLimits, int number) {
    this.chaosEnvironment = chaosEnvironment;
    this.folder = folder;
    this.botStateLimits = botStateLimits;
    this.databaseUrl = chaosEnvironment.stores().freshDatabase();
    this.ports = IntStream.range(0, number).mapToObj(i -> InstalledPrograms.freePort()).toList();
  }

  /** Starts all. The first server migrates the schema, so the others start after it. */
  void start(URI callbacks, Map<String, String> launcher) throws IOException {
    Map<String, String> settings = settings(callbacks);
    settings.putAll(launcher);
    for (int i = 0; i < ports.size(); i++) {
      servers.add(
          ServerProcess.start(
              chaosEnvironment.guardian(),
              List.of(
                  "serve",
                  "--port",
                  ports.get(i).toString(),
                  "--roles",
                  "api,bots",
                  "--data",
                  data().toString()),
              settings,
              folder.resolve("server-" + i + ".log")));
    }
  }

  /** Kills these servers with kill -9. */
  void kill(List<Integer> killedServers) {
    killedServers.forEach(server -> servers.get(server).kill());
  }

  void restart(List<Integer> killedServers) {
    killedServers.forEach(server -> servers.get(server).restart());
  }

  List<URI> urls() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  String adminToken() {
    return adminToken;
  }

  /** Database name, for queries. */
  String database() {
    return databaseUrl.substring(databaseUrl.lastIndexOf('/') + 1);
  }

  /** Folder of the process launchers' records. */
  Path records() {
    return data().resolve("bots");
  }

  /** Output of {@code convoke replay}; empty when journal and tables agree. */
  List<String> replay() throws IOException {
    Path log = folder.resolve("replay.log");
    try (JavaProcess replay =
        JavaProcess.launch(
            new JavaProgramSpec(
                "replay",
                "io.convoke.server.Main",
                List.of("replay"),
                stores(),
                List.of("-XX:TieredStopAtLevel=1"),
                log),
            chaosEnvironment.guardian())) {
      int code = replay.exit();
      List<String> lines = Files.readAllLines(log);
      return code == 0 ? List.of() : lines.isEmpty() ? List.of("exit code " + code) : lines;
    }
  }

  @Override
  public void close() {
    servers.forEach(ServerProcess::close);
  }

  private Path data() {
    return folder.resolve("data");
  }

  private Map<String, String> stores() {
    return Map.of(
        "CONVOKE_DATABASE_URL", databaseUrl,
        "CONVOKE_REDIS_URL", chaosEnvironment.stores().redis().url(),
        "CONVOKE_SECRET_KEY", secretKey);
  }

  private Map<String, String> settings(URI callbacks) {
    Map<String, String> settings = new HashMap<>(stores());
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_MEETING_HOSTS", "127.0.0.1");
    settings.put("CONVOKE_RATE_LIMIT", Integer.toString(RATE_LIMIT));
    settings.put("CONVOKE_BOT_CALLBACK_URL", callbacks.toString());
    settings.put("CONVOKE_BOTS_HEARTBEAT_INTERVAL", BotRunConfig.text(BotRunConfig.HEARTBEAT));
    settings.put("CONVOKE_BOTS_RESERVED_TIMEOUT", BotRunConfig.text(botStateLimits.reserved()));
    settings.put("CONVOKE_BOTS_STARTING_TIMEOUT", BotRunConfig.text(botStateLimits.reserved()));
    settings.put("CONVOKE_BOTS_HEARTBEAT_TIMEOUT", BotRunConfig.text(botStateLimits.active()));
    settings.put("CONVOKE_BOTS_STOPPING_TIMEOUT", BotRunConfig.text(botStateLimits.stopping()));
    settings.put("CONVOKE_BOTS_SWEEP_INTERVAL", BotRunConfig.text(BotRunConfig.SWEEP));
    return settings;
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
