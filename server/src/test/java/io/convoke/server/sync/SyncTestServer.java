package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.Migrations;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.TestServer;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A server with the sync feature on real stores: its own database and Redis, the real listener. */
final class SyncTestServer implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(20);

  final Database database;
  final Redis redis;
  final Journal journal;
  final PostgresListener listener;
  final SyncFeature sync;
  final TestServer server;
  final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  /** How far the node's clock is ahead. */
  final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);

  private final List<AutoCloseable> parts = new ArrayList<>();

  private SyncTestServer(String databaseUrl, String redisUrl, SyncConfig terms) {
    DatabaseUrl url = DatabaseUrl.parse(databaseUrl);
    database =
        keep(Database.open(url, 4, "sync-test", Migrations.SCHEMAS, Duration.ofMillis(1500)));
    int _ = Migrations.apply(database);
    redis = keep(Redis.open(redisUrl));
    journal = keep(new Journal(database));
    listener = keep(new PostgresListener(url, Map.of(Journal.CHANNEL, journal.receiver())));
    sync =
        keep(
            new SyncFeature(
                database,
                journal,
                redis,
                listener::listening,
                terms,
                meters,
                () -> Instant.now().plus(ahead.get())));
    server = keep(TestServer.of(sync.endpoints().toArray(Endpoint[]::new)));
  }

  static SyncTestServer open(String databaseUrl, EmbeddedRedis redis, SyncConfig terms) {
    return new SyncTestServer(databaseUrl, redis.url(), terms);
  }

  static SyncTestServer open(EmbeddedRedis redis) {
    return open(MigratedDatabase.url(), redis, SyncConfig.of(ServerConfig.of(Map.of())));
  }

  ContractClient internal() {
    return server.internal();
  }

  long user(String email) {
    return database.read(
        tx ->
            tx.sql("insert into users (email) values (?) returning id")
                .with(email)
                .one(resultRow -> resultRow.longAt("id")));
  }

  long meeting(long user, String room) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    insert into meetings (user_id, platform, platform_specific_id, status)
                    values (?, 'daily', ?, 'completed') returning id
                    """)
                .with(user, room)
                .one(resultRow -> resultRow.longAt("id")));
  }

  /** Waits until reads are served from the cache. */
  void awaitCache() {
    try (TestSignal.SignalObservation<String> begun = sync.cache().begun().observe()) {
      while (!sync.cache().usable()) {
        var _ = begun.await(_ -> true, SOON);
      }
    }
    // Until the listener has connected, the database counts as unreachable.
    awaitListening(true);
  }

  /** Waits until the listener of the journal is connected, or is not. */
  void awaitListening(boolean wanted) {
    try (TestSignal.SignalObservation<Boolean> connected = listener.connected().observe()) {
      while (listener.listening() != wanted) {
        var _ = connected.await(is -> is == wanted, SOON);
      }
    }
  }

  String cached(String meetingId) {
    return String.valueOf(
        (Object) redis.call(commands -> commands.get("sync_status:" + meetingId)));
  }

  @Override
  public void close() {
    for (AutoCloseable part : parts.reversed()) {
      try {
        part.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private <T extends AutoCloseable> T keep(T part) {
    parts.add(part);
    return part;
  }
}
