package io.convoke.server.doctor;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.engine.wake.PostgresListener.NotificationReceiver;
import io.convoke.server.Migrations;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.flywaydb.core.api.FlywayException;

/**
 * Checks the database: version, schema, rights of the role, room for connections, settings of the
 * sessions, clock, encryption, and whether notifications arrive.
 */
public final class DatabaseChecks {
  private static final String PART = "database";
  private static final int POSTGRES_MIN = 140_000;

  private final DatabaseUrl url;
  private final DatabaseUrl listenUrl;
  private final int connectionsOfNode;
  private final boolean serversMigrate;
  private final Duration notificationMax;
  private final InstantSource clock;

  /**
   * @param listenUrl where a server listens
   * @param connectionsOfNode what one server opens at most
   * @param serversMigrate whether a server applies pending migrations at its start
   * @param notificationMax how long a notification may take
   */
  public DatabaseChecks(
      DatabaseUrl url,
      DatabaseUrl listenUrl,
      int connectionsOfNode,
      boolean serversMigrate,
      Duration notificationMax,
      InstantSource clock) {
    this.url = url;
    this.listenUrl = listenUrl;
    this.connectionsOfNode = connectionsOfNode;
    this.serversMigrate = serversMigrate;
    this.notificationMax = notificationMax;
    this.clock = clock;
  }

  /** Runs all checks; the first fault of the connection is the last. */
  public List<DoctorFinding> check() {
    List<DoctorFinding> findings = new ArrayList<>();
    try (Database database = Database.open(url, 2, "convoke-doctor", Migrations.SCHEMAS)) {
      findings.add(schema(database));
      findings.add(session(database));
      findings.add(letters(database));
      findings.addAll(rights(database));
      findings.add(room(database));
      findings.add(
          ClockSkew.check(
              PART,
              clock,
              () ->
                  database.read(
                      tx ->
                          tx.sql("select clock_timestamp() as now")
                              .one(resultRow -> resultRow.instant("now")))));
      findings.add(encryption(database));
      findings.add(notification(database));
    } catch (StoreUnavailable | SqlFailure e) {
      findings.add(
          DoctorFinding.fault(PART, reason(e) + ": check its address, password and rights"));
    }
    return findings;
  }

  /** What Postgres or the network said, on one line. */
  private static String reason(RuntimeException failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
  }

  private DoctorFinding schema(Database database) {
    int version =
        database.read(
            tx ->
                tx.sql("select current_setting('server_version_num')::int as version")
                    .one(resultRow -> resultRow.intAt("version")));
    if (version < POSTGRES_MIN) {
      return DoctorFinding.fault(
          PART, "PostgreSQL 14 or newer is needed, this is " + version / 10_000 + ": upgrade it");
    }
    try (Database direct = Database.open(listenUrl, 2, "convoke-doctor", Migrations.SCHEMAS)) {
      // Before Flyway, whose message about a database out of reach is a page of Java.
      int _ = direct.read(tx -> tx.sql("select 1 as alive").one(row -> row.intAt("alive")));
      Optional<String> newer = Migrations.incompatibility(direct);
      if (newer.isPresent()) {
        return DoctorFinding.fault(PART, newer.get() + ": run a release as new as the tables");
      }
      int pending = Migrations.pending(direct);
      if (pending == 0) {
        return DoctorFinding.ok(PART, "PostgreSQL " + version / 10_000 + ", schema up to date");
      }
      String found = pending + " migrations are pending: ";
      return serversMigrate
          ? DoctorFinding.warn(PART, found + "a server applies them at its start")
          : DoctorFinding.fault(PART, found + "run convoke migrate");
    } catch (StoreUnavailable e) {
      return DoctorFinding.fault(
          PART,
          "no connection for LISTEN and migrations, "
              + reason(e)
              + ": check CONVOKE_LISTEN_DATABASE_URL");
    } catch (SqlFailure | FlywayException e) {
      return DoctorFinding.fault(
          PART,
          "which migrations were applied cannot be read, "
              + reason(e)
              + ": grant usage on schema convoke, durable, and select on all their tables");
    }
  }

  /**
   * A pooler that ignores start-up parameters gives sessions without the settings that they need.
   */
  private static DoctorFinding session(Database database) {
    record Session(String path, String statements, String idle) {}
    Session session =
        database.read(
            tx ->
                tx.sql(
                        """
                        select current_setting('search_path') as path,
                          current_setting('statement_timeout') as statements,
                          current_setting('idle_in_transaction_session_timeout') as idle
                        """)
                    .one(
                        resultRow ->
                            new Session(
                                resultRow.text("path"),
                                resultRow.text("statements"),
                                resultRow.text("idle"))));
    if (!session.path.contains("convoke") || !session.path.contains("durable")) {
      return DoctorFinding.fault(
          PART,
          "sessions have the search_path "
              + session.path
              + ", a pooler ignores ours: add ?pool_mode=transaction to CONVOKE_DATABASE_URL if it"
              + " pools transactions, else alter role ... set search_path = convoke, durable");
    }
    return session.statements.equals("0") || session.idle.equals("0")
        ? DoctorFinding.fault(
            PART,
            "sessions have no statement_timeout or idle_in_transaction_session_timeout, a pooler"
                + " ignores ours: alter role ... set them to 30s and 10s")
        : DoctorFinding.ok(PART, "sessions have their settings");
  }

  /** With LC_CTYPE C, text search knows no cases and no punctuation beyond ASCII. */
  private static DoctorFinding letters(Database database) {
    boolean known =
        database.read(
            tx ->
                tx.sql(
                        """
                        select to_tsvector('pg_catalog.simple', 'Ä')
                          = to_tsvector('pg_catalog.simple', 'ä') as known
                        """)
                    .one(resultRow -> resultRow.booleanAt("known")));
    return known
        ? DoctorFinding.ok(PART, "search knows letters beyond ASCII")
        : DoctorFinding.warn(
            PART,
            "search takes Ä and ä for different letters, as the database has LC_CTYPE C: make one"
                + " by create database ... template template0 lc_ctype 'C.UTF-8', and move the data"
                + " with pg_dump");
  }

  /** A sequence counts if statements name it: the one of an identity column needs no right. */
  private static List<DoctorFinding> rights(Database database) {
    record Rights(boolean superuser, boolean schemas, boolean rows, boolean sequences) {}
    Rights rights =
        database.read(
            tx ->
                tx.sql(
                        """
                        select r.rolsuper as superuser,
                          coalesce((select bool_and(has_schema_privilege(n.oid, 'usage')
                              and has_schema_privilege(n.oid, 'create'))
                            from pg_namespace n where n.nspname in ('convoke', 'durable')), true)
                            as schemas,
                          coalesce((select bool_and(
                              has_table_privilege(c.oid, 'select')
                              and has_table_privilege(c.oid, 'insert')
                              and has_table_privilege(c.oid, 'update')
                              and has_table_privilege(c.oid, 'delete'))
                            from pg_class c join pg_namespace n on n.oid = c.relnamespace
                            where n.nspname in ('convoke', 'durable') and c.relkind in ('r', 'p')),
                            true) as rows,
                          coalesce((select bool_and(has_sequence_privilege(c.oid, 'usage, update'))
                            from pg_class c join pg_namespace n on n.oid = c.relnamespace
                            where n.nspname in ('convoke', 'durable') and c.relkind = 'S'
                              and not exists (select from pg_depend d
                                where d.classid = 'pg_class'::regclass and d.objid = c.oid
                                  and d.deptype = 'i')),
                            true) as sequences
                        from pg_roles r where r.rolname = current_user
                        """)
                    .one(
                        resultRow ->
                            new Rights(
                                resultRow.booleanAt("superuser"),
                                resultRow.booleanAt("schemas"),
                                resultRow.booleanAt("rows"),
                                resultRow.booleanAt("sequences"))));
    List<DoctorFinding> findings = new ArrayList<>();
    if (!rights.rows) {
      findings.add(
          DoctorFinding.fault(
              PART,
              "the role may not read and write all tables: grant select, insert, update, delete on"
                  + " all tables in schema convoke, durable"));
    }
    if (!rights.sequences) {
      findings.add(
          DoctorFinding.fault(
              PART,
              "the role may not use all sequences: grant usage on all sequences in schema convoke,"
                  + " durable"));
    }
    if (!rights.schemas) {
      findings.add(
          DoctorFinding.warn(
              PART,
              "the role may not create tables, so servers need --no-migrate and another role"
                  + " migrates; or grant usage, create on schema convoke, durable"));
    }
    if (rights.superuser) {
      findings.add(
          DoctorFinding.warn(
              PART, "the role is a superuser: use one that owns the schemas convoke and durable"));
    }
    if (findings.isEmpty()) {
      findings.add(DoctorFinding.ok(PART, "the role has the rights it needs"));
    }
    return findings;
  }

  private DoctorFinding room(Database database) {
    int most =
        database.read(
            tx ->
                tx.sql(
                        """
                        select least(
                          current_setting('max_connections')::int
                            - current_setting('superuser_reserved_connections')::int
                            - coalesce(current_setting('reserved_connections', true)::int, 0),
                          (select case when rolconnlimit < 0 then 100000 else rolconnlimit end
                            from pg_roles where rolname = current_user),
                          (select case when datconnlimit < 0 then 100000 else datconnlimit end
                            from pg_database where datname = current_database())) as most
                        """)
                    .one(resultRow -> resultRow.intAt("most")));
    String facts =
        "it accepts " + most + " connections and a server opens up to " + connectionsOfNode;
    if (most < connectionsOfNode) {
      return DoctorFinding.fault(
          PART, facts + ": raise max_connections, or lower CONVOKE_DATABASE_POOL");
    }
    return most < 2 * connectionsOfNode
        ? DoctorFinding.warn(
            PART,
            facts
                + ": too few for two servers; raise max_connections, or lower"
                + " CONVOKE_DATABASE_POOL, or use a pooler")
        : DoctorFinding.ok(PART, facts);
  }

  private DoctorFinding encryption(Database database) {
    boolean encrypted =
        database.read(
            tx ->
                tx.sql(
                        """
                        select coalesce(
                          (select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as tls
                        """)
                    .one(resultRow -> resultRow.booleanAt("tls")));
    if (encrypted) {
      return DoctorFinding.ok(PART, "TLS in use");
    }
    String host =
        url.jdbc().replaceFirst("^jdbc:postgresql://", "").replaceFirst("(:\\d+)?/.*", "");
    return Loopback.contains(host)
        ? DoctorFinding.ok(PART, "no TLS, on this machine")
        : DoctorFinding.warn(
            PART,
            "no TLS: rows can be read on the way; add ?sslmode=verify-full to CONVOKE_DATABASE_URL");
  }

  /** Listens as a server does, and notifies by the way that servers write. */
  private DoctorFinding notification(Database database) {
    String payload = UUID.randomUUID().toString();
    String channel = "convoke_doctor";
    CountDownLatch connected = new CountDownLatch(1);
    CountDownLatch arrived = new CountDownLatch(1);
    NotificationReceiver receiver =
        new NotificationReceiver() {
          @Override
          public void notified(String text) {
            if (text.equals(payload)) {
              arrived.countDown();
            }
          }

          @Override
          public void rescan() {
            connected.countDown();
          }
        };
    try (PostgresListener _ = new PostgresListener(listenUrl, Map.of(channel, receiver))) {
      boolean listens = connected.await(notificationMax.toMillis(), TimeUnit.MILLISECONDS);
      boolean _ =
          database.read(
              tx ->
                  tx.sql("select pg_notify(?, ?) is null as sent")
                      .with(channel, payload)
                      .one(resultRow -> resultRow.booleanAt("sent")));
      return listens && arrived.await(notificationMax.toMillis(), TimeUnit.MILLISECONDS)
          ? DoctorFinding.ok(PART, "notifications arrive")
          : DoctorFinding.fault(
              PART,
              "notifications do not arrive, so work waits for the next poll: set"
                  + " CONVOKE_LISTEN_DATABASE_URL to the primary itself, past any pooler");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return DoctorFinding.fault(
          PART, "interrupted while waiting for a notification: run it again");
    }
  }
}
