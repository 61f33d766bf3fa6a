package io.convoke.server.schemaimport;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.json.Json;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code convoke migrate --adopt SCHEMA}: imports another schema of the same database (its tables:
 * docs/migrate.md). First {@link #check}, then our own migrations, then {@link #importSchema}: one
 * transaction, so that a failure leaves everything unchanged, and a second run changes nothing.
 */
public final class SchemaImporter {
  private static final List<String> OURS = List.of("convoke", "durable");

  private final Database database;
  private final String schema;
  private final SourceSchemaReader sourceSchemaReader;

  public SchemaImporter(Database database, String schema) {
    this.database = database;
    this.schema = schema;
    this.sourceSchemaReader = new SourceSchemaReader(schema);
  }

  /** The result of an import. */
  public sealed interface ImportResult {
    /** Rows by table. */
    record SchemaImported(Map<String, Long> rows) implements ImportResult {}

    /** The schema was imported before. */
    record AlreadyImported(Instant when) implements ImportResult {}
  }

  /**
   * Checks whether the schema can be imported; changes nothing.
   *
   * @throws SchemaNotImportable with every fault
   */
  public void check() {
    List<String> faults =
        database.read(
            tx -> {
              if (OURS.contains(schema)) {
                return List.of("it is Convoke's own; rename the schema to import it");
              }
              if (!sourceSchemaReader.exists(tx)) {
                return List.of("there is no such schema in this database");
              }
              return sourceSchemaReader.shape(tx).faults();
            });
    require(faults);
  }

  /**
   * Copies the rows, once.
   *
   * @throws SchemaNotImportable with every fault; nothing was changed
   */
  public ImportResult importSchema(Journal journal) {
    return database.transaction(
        tx -> {
          int _ = tx.sql("lock table adoptions in exclusive mode").update();
          Optional<Instant> before =
              tx.sql("select adopted_at from adoptions where schema_name = ?")
                  .with(schema)
                  .first(resultRow -> resultRow.instant("adopted_at"));
          return before.isPresent()
              ? new ImportResult.AlreadyImported(before.get())
              : new ImportResult.SchemaImported(copy(tx, journal));
        });
  }

  private Map<String, Long> copy(Tx tx, Journal journal) {
    sourceSchemaReader.lockTables(tx);
    // Each check reads a whole table, however large.
    int _ = tx.sql("set local statement_timeout = 0").update();
    List<String> faults = new ArrayList<>(inTheWay(tx));
    faults.addAll(sourceSchemaReader.faults(tx));
    require(faults);
    Map<String, Long> counts =
        new RowCopier(tx, sourceSchemaReader, sourceSchemaReader.shape(tx)).all(journal);
    int _ =
        tx.sql("insert into adoptions (schema_name, counts) values (?, ?)")
            .with(schema, Json.tree(counts))
            .update();
    return counts;
  }

  /** Ids are kept, so they must be free. */
  private static List<String> inTheWay(Tx tx) {
    List<String> faults = new ArrayList<>();
    for (String table : SourceSchema.TABLES) {
      long rows =
          tx.sql("select count(*) as n from " + table).one(resultRow -> resultRow.longAt("n"));
      if (rows > 0) {
        faults.add("our own table " + table + " has " + rows + " rows; it must be empty");
      }
    }
    return faults;
  }

  private void require(List<String> faults) {
    if (!faults.isEmpty()) {
      throw new SchemaNotImportable(
          faults.stream().map(fault -> "schema " + schema + ": " + fault).toList());
    }
  }
}
