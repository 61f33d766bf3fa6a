package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.Database;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables, made or brought up to date. */
public final class DurableSchema {
  private DurableSchema() {}

  /** Applies the scripts to a schema; several nodes may do so at once. */
  public static void install(Database database, String schema) {
    Names names = new Names(schema);
    String script =
        Stream.of("durable.sql", "limits.sql")
            .map(file -> script(file).replace("${schema}", names.quoted()))
            .collect(Collectors.joining("\n"));
    database.run(
        tx -> {
          boolean _ =
              tx.sql("select pg_advisory_xact_lock(?, 0) is null as locked")
                  .with(names.lockClass())
                  .one(row -> row.booleanAt("locked"));
          int _ = tx.sql(script).update();
        });
  }

  private static String script(String file) {
    try (InputStream script = DurableSchema.class.getResourceAsStream(file)) {
      if (script == null) {
        throw new IllegalStateException(file + " is missing from the library");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
