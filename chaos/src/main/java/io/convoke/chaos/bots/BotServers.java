package io.convoke.chaos.bots;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.bots.rules.BotHistory.BotStateLimits;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server processes of one run, which launch bots into one folder. */
final class BotServers implements AutoCloseable {
  private static final int RATE_LIMIT = 10_000;

  private final ChaosEnvironment environment;
  private final Path folder;
  private final BotStateLimits limits;
  private final ServerCluster cluster;

  BotServers(ChaosEnvironment environment, Path folder, BotStateLimits limits, int number) {
    this.environment = environment;
    this.folder = folder;
    this.limits = limits;
    this.cluster = new ServerCluster(environment, folder, number);
  }

  /** Starts all. */
  void start(URI callbacks, Map<String, String> launcher) {
    Map<String, String> settings = settings(callbacks);
    settings.putAll(launcher);
    cluster.start("api,bots", settings, Optional.of(data()));
  }

  ServerCluster cluster() {
    return cluster;
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
                cluster.stores(),
                List.of("-XX:TieredStopAtLevel=1"),
                log),
            environment.guardian())) {
      int code = replay.exit();
      List<String> lines = Files.readAllLines(log);
      return code == 0 ? List.of() : lines.isEmpty() ? List.of("exit code " + code) : lines;
    }
  }

  @Override
  public void close() {
    cluster.close();
  }

  private Path data() {
    return folder.resolve("data");
  }

  private Map<String, String> settings(URI callbacks) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_MEETING_HOSTS", "127.0.0.1");
    settings.put("CONVOKE_RATE_LIMIT", Integer.toString(RATE_LIMIT));
    settings.put("CONVOKE_BOT_CALLBACK_URL", callbacks.toString());
    settings.put("CONVOKE_BOTS_HEARTBEAT_INTERVAL", BotRunConfig.text(BotRunConfig.HEARTBEAT));
    settings.put("CONVOKE_BOTS_RESERVED_TIMEOUT", BotRunConfig.text(limits.reserved()));
    settings.put("CONVOKE_BOTS_STARTING_TIMEOUT", BotRunConfig.text(limits.starting()));
    settings.put("CONVOKE_BOTS_HEARTBEAT_TIMEOUT", BotRunConfig.text(limits.active()));
    settings.put("CONVOKE_BOTS_STOPPING_TIMEOUT", BotRunConfig.text(limits.stopping()));
    settings.put("CONVOKE_BOTS_SWEEP_INTERVAL", BotRunConfig.text(BotRunConfig.SWEEP));
    // Ten that boot at once would keep the servers of a small machine from answering.
    settings.put("CONVOKE_BOTS_LAUNCH_RATE", "2");
    return settings;
  }
}
