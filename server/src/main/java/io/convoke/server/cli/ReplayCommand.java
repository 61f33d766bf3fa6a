package io.convoke.server.cli;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.bots.Replay;
import io.convoke.server.config.Config;
import io.convoke.server.config.ConfigFile;
import io.convoke.server.config.Settings;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description =
        "Lives every bot's life again from the journal and compares it with the tables; 1 if they"
            + " differ.")
final class ReplayCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "convoke.yaml",
      description = "Configuration file (${DEFAULT-VALUE})")
  private Path file = Path.of("convoke.yaml");

  @Option(
      names = "--show",
      paramLabel = "N",
      defaultValue = "100",
      description = "Differences to print (${DEFAULT-VALUE}); all are counted.")
  private long show = 100;

  @Override
  public Integer call() {
    Config config = Config.of(ConfigFile.read(file, System.getenv()));
    String url =
        config
            .get(Settings.DATABASE_URL)
            .orElseThrow(() -> new UsageFault("CONVOKE_DATABASE_URL is missing"));
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-replay", Migrations.SCHEMAS)) {
      AtomicLong told = new AtomicLong();
      Replay.Result result =
          Replay.run(
              database,
              line -> {
                if (told.incrementAndGet() <= show) {
                  System.out.println(line);
                }
              });
      System.out.printf(
          "replayed %d events, %d moves of %d bots%s: %d differences%n",
          result.events(),
          result.moves(),
          result.meetings(),
          result.adopted() == 0 ? "" : " (" + result.adopted() + " adopted ones left out)",
          result.differences());
      return result.differences() == 0 ? 0 : 1;
    }
  }
}
