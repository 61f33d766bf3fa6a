package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.Database;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The tables, made or brought up to date. */
public final class DurableSchema {
  private DurableSchema() {}

  /** Applies {@code durable.sql} to a schema; several nodes may do so at once. */
  public static void install(Database database, String schema) {
    Names names = new Names(schema);
    String script = script().replace("${schema}", names.quoted());
    database.run(
        tx -> {
          boolean _ =
              tx.sql("select pg_advisory_xact_lock(?, 0) is null as locked")
                  .with(names.lockClass())
                  .one(row -> row.booleanAt("locked"));
          int _ = tx.sql(script).update();
        });
  }

  private static String script() {
    try (InputStream script = DurableSchema.class.getResourceAsStream("durable.sql")) {
      if (script == null) {
        throw new IllegalStateException("durable.sql is missing from the library");
      }
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
