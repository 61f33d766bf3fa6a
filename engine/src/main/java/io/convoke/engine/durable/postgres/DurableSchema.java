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
 * takes no lock beyond that of a select: it neither waits for a dump nor makes others wait behind
 * it. Only older tables are altered, by one node at a time, which gives up each wait for a lock
 * within a second, so that statements queue behind it no longer than that, and tries again.
 *
 * <p>A release that finds newer tables than its own works with them, as long as they say that it
 * may: two releases run side by side.
 */
public final class DurableSchema {
  private static final Logger log = LoggerFactory.getLogger(DurableSchema.class);

  /** Raised with every change of the scripts. */
  private static final int VERSION = 2;

  /** The oldest release, by its version of the tables, that may work on these. */
  private static final int COMPATIBLE_FROM = 1;

  private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(2);
  private static final long PAUSE_MAX_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Set<String> BUSY = Set.of("55P03", "40P01", "57014");

  private DurableSchema() {}

  private record Installed(int version, int compatibleFrom) {}

  /**
   * Makes the tables of a schema, or brings them up to date; several nodes may do so at once.
   *
   * @throws IllegalStateException if a newer release has changed them so that this one may not work
   *     on them any more
   */
  public static void install(Database database, String schema) {
    Names names = new Names(schema);
    long end = System.nanoTime() + GIVE_UP_AFTER.toNanos();
    while (!database.read(tx -> isCurrent(tx, names))) {
      try {
        database.run(tx -> bringUpToDate(tx, names));
      } catch (SqlFailure e) {
        if (!BUSY.contains(e.sqlState()) || System.nanoTime() - end >= 0) {
          throw e;
        }
        log.warn(
            "the tables of {} are to be altered and are in use, it is tried again: {}",
            schema,
            e.getMessage());
        LockSupport.parkNanos(
            ThreadLocalRandom.current().nextLong(PAUSE_MAX_NANOS / 2, PAUSE_MAX_NANOS));
      }
    }
  }

  private static boolean isCurrent(Tx tx, Names names) {
    Optional<Installed> installed = installed(tx, names);
    if (installed.isPresent() && installed.get().compatibleFrom > VERSION) {
      throw new IllegalStateException(
          "the tables of %s are of version %d, which needs a release that knows version %d; this one knows %d"
              .formatted(
                  names.schema(),
                  installed.get().version,
                  installed.get().compatibleFrom,
                  VERSION));
    }
    return installed.isPresent() && installed.get().version >= VERSION;
  }

  private static Optional<Installed> installed(Tx tx, Names names) {
    boolean known =
        tx.sql("select to_regclass(?) is not null as known")
            .with(names.quoted() + ".schema_version")
            .one(row -> row.booleanAt("known"));
    return known
        ? tx
            .sql("select version, compatible_from from " + names.quoted() + ".schema_version")
            .list(row -> new Installed(row.intAt("version"), row.intAt("compatible_from")))
            .stream()
            .findFirst()
        : Optional.empty();
  }

  private static void bringUpToDate(Tx tx, Names names) {
    boolean mine =
        tx.sql("select pg_try_advisory_xact_lock(?, 0) as mine")
            .with(names.lockClass())
            .one(row -> row.booleanAt("mine"));
    if (!mine) {
      // Another node is at it; what it has done is seen by the next comparison.
      LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      return;
    }
    if (isCurrent(tx, names)) {
      return;
    }
    int _ = tx.sql("set local lock_timeout = '1s'").update();
    if (!isComplete(tx, names)) {
      int _ = tx.sql(script(names, Stream.of("durable.sql", "limits.sql"))).update();
    }
    int _ = tx.sql(script(names, Stream.of("version.sql"))).update();
    int _ =
        tx.sql(
                "insert into "
                    + names.quoted()
                    + """
                    .schema_version (version, compatible_from) values (?, ?)
                    on conflict (one) do update set version = excluded.version,
                      compatible_from = excluded.compatible_from, installed_at = now()
                    """)
            .with(VERSION, COMPATIBLE_FROM)
            .update();
  }

  /**
   * Whether the tables are those of this version whatever they say: releases before the first
   * version altered them at each start. What was added last is asked for.
   */
  private static boolean isComplete(Tx tx, Names names) {
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
            names.schema(),
            names.quoted() + ".worker_queue_pool_due",
            names.quoted() + ".instances_newest",
            names.quoted() + ".worker_queue_limited",
            names.quoted() + ".worker_queue_visible")
        .one(row -> row.booleanAt("complete"));
  }

  private static String script(Names names, Stream<String> files) {
    return files
        .map(file -> read(file).replace("${schema}", names.quoted()))
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
