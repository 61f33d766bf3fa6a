package io.convoke.server.cli;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.config.Config;
import io.convoke.server.config.ConfigFile;
import io.convoke.server.config.Settings;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = "Brings the database schema up to date.")
final class MigrateCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "convoke.yaml",
      description = "Configuration file (${DEFAULT-VALUE})")
  private Path file = Path.of("convoke.yaml");

  @Override
  public Integer call() {
    Config config = Config.of(ConfigFile.read(file, System.getenv()));
    String url =
        config
            .get(Settings.DATABASE_URL)
            .orElseThrow(() -> new UsageFault("CONVOKE_DATABASE_URL is missing"));
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-migrate", Migrations.SCHEMAS)) {
      int applied = Migrations.apply(database);
      System.out.println(
          applied == 0 ? "the schema is up to date" : applied + " migrations applied");
    }
    return 0;
  }
}
