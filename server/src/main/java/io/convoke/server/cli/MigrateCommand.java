package io.convoke.server.cli;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.schemaimport.SchemaImporter;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = "Brings the database schema up to date.")
final class MigrateCommand implements Callable<Integer> {
  @Mixin private ConfigFileOption config = new ConfigFileOption();

  @Option(
      names = "--adopt",
      paramLabel = "SCHEMA",
      description =
          "Also import the users, meetings, sessions and transcripts of this schema; once")
  private Optional<String> adopted = Optional.empty();

  @Override
  public Integer call() {
    ServerConfig serverConfig = ServerConfig.each(config.read());
    serverConfig.checkDatabase();
    DatabaseUrl url =
        serverConfig
            .sessionDatabaseUrl()
            .orElseThrow(() -> new UsageException("CONVOKE_DATABASE_URL is missing"));
    try (Database database = Migrations.open(url)) {
      // Before Flyway, whose message about a database out of reach is a page of Java.
      int _ = database.read(tx -> tx.sql("select 1 as alive").one(row -> row.intAt("alive")));
      Optional<SchemaImporter> adoption =
          adopted.map(schema -> new SchemaImporter(database, schema));
      adoption.ifPresent(SchemaImporter::check);
      int applied = Migrations.apply(database);
      System.out.println(
          applied == 0 ? "the schema is up to date" : applied + " migrations applied");
      adoption.ifPresent(of -> adopt(database, of));
    }
    return 0;
  }

  private void adopt(Database database, SchemaImporter schemaImporter) {
    try (Journal journal = new Journal(database)) {
      System.out.println(
          switch (schemaImporter.importSchema(journal)) {
            case SchemaImporter.ImportResult.SchemaImported(Map<String, Long> rows) ->
                "taken over: "
                    + rows.entrySet().stream()
                        .map(table -> table.getValue() + " " + table.getKey())
                        .collect(Collectors.joining(", "));
            case SchemaImporter.ImportResult.AlreadyImported(Instant when) ->
                "imported before, at " + when + "; nothing was changed";
          });
    }
  }
}
