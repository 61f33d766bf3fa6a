package io.convoke.server.cli;

import io.convoke.server.App;
import io.convoke.server.NodeRole;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import io.convoke.server.log.Logging;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "serve", mixinStandardHelpOptions = true, description = "Runs the server.")
final class ServeCommand implements Callable<Integer> {
  @Option(
      names = "--embedded",
      description = "Start an own Postgres and Redis, with their data under --data.")
  private boolean embedded;

  @Option(names = "--port", paramLabel = "N", description = "Port, instead of CONVOKE_PORT.")
  private @Nullable Integer port;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = ".convoke",
      description = "Where logs of bots, blobs and embedded stores live (${DEFAULT-VALUE}).")
  private Path data = Path.of(".convoke");

  @Option(
      names = "--roles",
      paramLabel = "ROLE",
      split = ",",
      description = "What this process does: ${COMPLETION-CANDIDATES}; all by default.",
      converter = NodeRoleConverter.class,
      completionCandidates = NodeRoleConverter.class)
  private List<NodeRole> roles = List.copyOf(EnumSet.allOf(NodeRole.class));

  @Option(
      names = "--no-migrate",
      description = "Leave the schemas as they are, and exit if they are too old.")
  private boolean noMigrate;

  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, String> texts = new HashMap<>(config.read());
    if (noMigrate) {
      texts.put(Settings.MIGRATE.name(), "false");
    }
    if (port != null) {
      texts.put(Settings.PORT.name(), Integer.toString(port));
    }
    Path folder = data.toAbsolutePath().normalize();
    Optional<EmbeddedStores> stores =
        embedded ? Optional.of(embed(folder, texts)) : Optional.empty();
    try {
      ServerConfig serverConfig = ServerConfig.of(texts);
      if (serverConfig.get(Settings.DATABASE_URL).isEmpty()) {
        throw new UsageException(
            "CONVOKE_DATABASE_URL and CONVOKE_REDIS_URL are missing; or use --embedded");
      }
      Logging.start(serverConfig.get(Settings.LOG_FORMAT));
      App app = App.start(serverConfig, Set.copyOf(roles), folder);
      stopWithTheProcess(app, stores, serverConfig.get(Settings.SHUTDOWN_DELAY));
      System.out.println("ready " + app.url());
    } catch (RuntimeException e) {
      stores.ifPresent(EmbeddedStores::close);
      throw e;
    }
    new CountDownLatch(1).await();
    return 0;
  }

  private static EmbeddedStores embed(Path folder, Map<String, String> texts) {
    if (texts.containsKey(Settings.DATABASE_URL.name())
        || texts.containsKey(Settings.REDIS_URL.name())) {
      throw new UsageException(
          "--embedded and CONVOKE_DATABASE_URL or CONVOKE_REDIS_URL exclude each other");
    }
    EmbeddedCredentials.of(folder).forEach(texts::putIfAbsent);
    String _ = texts.putIfAbsent(Settings.SHUTDOWN_DELAY.name(), "0s");
    EmbeddedStores stores = EmbeddedStores.open(folder);
    texts.put(Settings.DATABASE_URL.name(), stores.databaseUrl());
    texts.put(Settings.REDIS_URL.name(), stores.redisUrl());
    return stores;
  }

  /**
   * Stops on Ctrl-C and SIGTERM: serves on for the delay, then ends the app and at last the
   * embedded stores.
   */
  private static void stopWithTheProcess(App app, Optional<EmbeddedStores> stores, Duration delay) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  app.announceStop();
                  serveOn(delay);
                  app.close();
                  stores.ifPresent(EmbeddedStores::close);
                  System.out.flush();
                  // A requested stop exits with 0; the JVM would exit with 143.
                  Runtime.getRuntime().halt(0);
                },
                "stop"));
  }

  private static void serveOn(Duration delay) {
    try {
      boolean _ = new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
