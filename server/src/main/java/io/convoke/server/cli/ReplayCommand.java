package io.convoke.server.cli;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.bots.BotReplay;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description =
        "Replays the journal of every bot and compares it with the tables; 1 if they differ.")
final class ReplayCommand implements Callable<Integer> {
  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Option(
      names = "--show",
      paramLabel = "N",
      defaultValue = "100",
      description = "Differences to print (${DEFAULT-VALUE}); all are counted.")
  private long show = 100;

  @Override
  public Integer call() {
    ServerConfig serverConfig = ServerConfig.of(config.read());
    String url =
        serverConfig
            .get(Settings.DATABASE_URL)
            .orElseThrow(() -> new UsageException("CONVOKE_DATABASE_URL is missing"));
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-replay", Migrations.SCHEMAS)) {
      Migrations.requireTables(database);
      AtomicLong printed = new AtomicLong();
      BotReplay.ReplayResult replayResult =
          BotReplay.run(
              database,
              line -> {
                if (printed.incrementAndGet() <= show) {
                  System.out.println(line);
                }
              });
      System.out.printf(
          "replayed %d events, %d moves of %d bots%s: %d differences%n",
          replayResult.events(),
          replayResult.moves(),
          replayResult.meetings(),
          replayResult.adopted() == 0
              ? ""
              : " (" + replayResult.adopted() + " imported ones left out)",
          replayResult.differences());
      return replayResult.differences() == 0 ? 0 : 1;
    }
  }
}
