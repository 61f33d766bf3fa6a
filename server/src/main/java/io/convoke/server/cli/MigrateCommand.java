package io.convoke.server.cli;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.adopt.Adoption;
import io.convoke.server.config.Config;
import io.convoke.server.config.ConfigFile;
import io.convoke.server.config.Settings;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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

  @Option(
      names = "--adopt",
      paramLabel = "SCHEMA",
      description =
          "Also take over the users, meetings, sessions and transcripts of this schema; once")
  private Optional<String> adopted = Optional.empty();

  @Override
  public Integer call() {
    Config config = Config.each(ConfigFile.read(file, System.getenv()));
    String url =
        config
            .get(Settings.DATABASE_URL)
            .orElseThrow(() -> new UsageFault("CONVOKE_DATABASE_URL is missing"));
    try (Database database =
        Database.open(DatabaseUrl.parse(url), 2, "convoke-migrate", Migrations.SCHEMAS)) {
      Optional<Adoption> adoption = adopted.map(schema -> new Adoption(database, schema));
      adoption.ifPresent(Adoption::check);
      int applied = Migrations.apply(database);
      System.out.println(
          applied == 0 ? "the schema is up to date" : applied + " migrations applied");
      adoption.ifPresent(of -> adopt(database, of));
    }
    return 0;
  }

  private void adopt(Database database, Adoption adoption) {
    try (Journal journal = new Journal(database)) {
      System.out.println(
          switch (adoption.adopt(journal)) {
            case Adoption.Outcome.Adopted(Map<String, Long> rows) ->
                "taken over: "
                    + rows.entrySet().stream()
                        .map(table -> table.getValue() + " " + table.getKey())
                        .collect(Collectors.joining(", "));
            case Adoption.Outcome.Before(Instant when) ->
                "taken over before, at " + when + "; nothing was changed";
          });
    }
  }
}
