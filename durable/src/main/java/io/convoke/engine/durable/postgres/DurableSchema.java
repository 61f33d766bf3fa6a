package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.Tx;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables and their version. A start compares versions and, where the tables are up to date,
 * takes no lock beyond that of a select: it neither waits for a dump nor blocks others. Only older
 * tables are altered, by one node at a time, with a lock timeout of one second, so that statements
 * queue behind it no longer than that, and retries. While an index is built, which is one read of
 * its table, writers of that table wait.
 *
 * <p>A release works with newer tables as long as their version row allows it: two releases run
 * side by side.
 */
public final class DurableSchema {
  private static final Logger log = LoggerFactory.getLogger(DurableSchema.class);

  /** Incremented with every change of the scripts. */
  private static final int VERSION = 5;

  /** The oldest release, by its version of the tables, that may work on these. */
  private static final int COMPATIBLE_FROM = 1;

  private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(2);
  private static final long PAUSE_MAX_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Set<String> BUSY = Set.of("55P03", "40P01", "57014");

  private DurableSchema() {}

  private record InstalledSchema(int version, int compatibleFrom) {}

  /**
   * Creates or upgrades the tables of a schema; several nodes may do so at once.
   *
   * @throws IllegalStateException if a newer release made them incompatible with this one
   */
  public static void install(Database database, String schema) {
    SchemaNames schemaNames = new SchemaNames(schema);
    long end = System.nanoTime() + GIVE_UP_AFTER.toNanos();
    while (!database.read(tx -> isCurrent(tx, schemaNames))) {
      try {
        database.run(tx -> bringUpToDate(tx, schemaNames));
      } catch (SqlFailure e) {
        if (!BUSY.contains(e.sqlState()) || System.nanoTime() - end >= 0) {
          throw e;
        }
        log.warn(
            "the tables of {} are in use, their upgrade is retried: {}", schema, e.getMessage());
        LockSupport.parkNanos(
            ThreadLocalRandom.current().nextLong(PAUSE_MAX_NANOS / 2, PAUSE_MAX_NANOS));
      }
    }
  }

  /**
   * Whether a start would change nothing.
   *
   * @throws IllegalStateException if a newer release made the tables incompatible with this one
   */
  public static boolean isCurrent(Database database, String schema) {
    return database.read(tx -> isCurrent(tx, new SchemaNames(schema)));
  }

  private static boolean isCurrent(Tx tx, SchemaNames schemaNames) {
    Optional<InstalledSchema> installed = installed(tx, schemaNames);
    if (installed.isPresent() && installed.get().compatibleFrom > VERSION) {
      throw new IllegalStateException(
          "the tables of %s have version %d, which requires a release of version %d; this one has %d"
              .formatted(
                  schemaNames.schema(),
                  installed.get().version,
                  installed.get().compatibleFrom,
                  VERSION));
    }
    return installed.isPresent() && installed.get().version >= VERSION;
  }

  private static Optional<InstalledSchema> installed(Tx tx, SchemaNames schemaNames) {
    return has(tx, schemaNames, "schema_version")
        ? tx
            .sql("select version, compatible_from from " + schemaNames.quoted() + ".schema_version")
            .list(
                resultRow ->
                    new InstalledSchema(
                        resultRow.intAt("version"), resultRow.intAt("compatible_from")))
            .stream()
            .findFirst()
        : Optional.empty();
  }

  private static void bringUpToDate(Tx tx, SchemaNames schemaNames) {
    boolean mine =
        tx.sql("select pg_try_advisory_xact_lock(?, 0) as mine")
            .with(schemaNames.lockClass())
            .one(resultRow -> resultRow.booleanAt("mine"));
    if (!mine) {
      // Another node upgrades the tables; the next comparison sees its result.
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      return;
    }
    if (isCurrent(tx, schemaNames)) {
      return;
    }
    int _ = tx.sql("set local lock_timeout = '1s'").update();
    // The build of an index takes as long as its table is large.
    int _ = tx.sql("set local statement_timeout = 0").update();
    Stream<String> tables =
        isComplete(tx, schemaNames)
            ? Stream.of("slots.sql")
            : Stream.of("durable.sql", "slots.sql", "limits.sql");
    int _ = tx.sql(script(schemaNames, tables)).update();
    if (!has(tx, schemaNames, "open_jobs")) {
      int _ = tx.sql(script(schemaNames, Stream.of("jobs.sql"))).update();
    }
    if (!has(tx, schemaNames, "instances_parent")) {
      int _ = tx.sql(script(schemaNames, Stream.of("children.sql"))).update();
    }
    int _ = tx.sql(script(schemaNames, Stream.of("version.sql"))).update();
    int _ =
        tx.sql(
                "insert into "
                    + schemaNames.quoted()
                    + """
                    .schema_version (version, compatible_from) values (?, ?)
                    on conflict (one) do update set version = excluded.version,
                      compatible_from = excluded.compatible_from, installed_at = now()
                    """)
            .with(VERSION, COMPATIBLE_FROM)
            .update();
  }

  /**
   * Whether the tables are those of version 2, regardless of the version row: releases before the
   * first version altered them at each start. It checks for what was added last.
   */
  private static boolean isComplete(Tx tx, SchemaNames schemaNames) {
    return tx.sql(
            """
            select count(*) = 6 as complete from pg_trigger t
              join pg_class c on c.oid = t.tgrelid
              join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = ? and not t.tgisinternal
              and t.tgname in ('trg_orch_notify', 'trg_orch_notify_update', 'trg_worker_notify',
                'trg_worker_notify_update', 'trg_worker_limited', 'trg_worker_limited_gone')
              and to_regclass(?) is not null and to_regclass(?) is not null
              and to_regclass(?) is not null
              and to_regclass(?) is null
            """)
        .with(
            schemaNames.schema(),
            schemaNames.quoted() + ".worker_queue_pool_due",
            schemaNames.quoted() + ".instances_newest",
            schemaNames.quoted() + ".worker_queue_limited",
            schemaNames.quoted() + ".worker_queue_visible")
        .one(resultRow -> resultRow.booleanAt("complete"));
  }

  /** Whether a script was run, by the table, view or index that its last statement makes. */
  private static boolean has(Tx tx, SchemaNames schemaNames, String relation) {
    return tx.sql("select to_regclass(?) is not null as complete")
        .with(schemaNames.quoted() + "." + relation)
        .one(resultRow -> resultRow.booleanAt("complete"));
  }

  private static String script(SchemaNames schemaNames, Stream<String> files) {
    return files
        .map(file -> read(file).replace("${schema}", schemaNames.quoted()))
        .collect(Collectors.joining("\n"));
  }

  private static String read(String file) {
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
