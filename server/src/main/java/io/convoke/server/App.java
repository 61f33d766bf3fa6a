package io.convoke.server;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Listener;
import io.convoke.server.config.Config;
import io.convoke.server.config.Settings;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole object graph, from the stores up to the listener, in reading order. */
public final class App implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(App.class);
  private static final Duration STORE_RETRY = Duration.ofSeconds(1);

  /** What was started, last first: the order of stopping. */
  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  private final String url;

  private App(Config config, Set<Duty> duties, Path data) {
    String node = "convoke-" + UUID.randomUUID().toString().substring(0, 8);
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    DatabaseUrl databaseUrl = DatabaseUrl.parse(config.get(Settings.DATABASE_URL).orElseThrow());
    DatabaseUrl listenUrl =
        config.get(Settings.LISTEN_DATABASE_URL).map(DatabaseUrl::parse).orElse(databaseUrl);
    Database database =
        keep(
            Database.open(
                databaseUrl, config.get(Settings.DATABASE_POOL), node, Migrations.SCHEMAS));
    migrate(database);
    Redis redis = keep(Redis.open(config.get(Settings.REDIS_URL).orElseThrow().toString()));
    LeaseKeeper leases = keep(new LeaseKeeper(redis, node, meters));
    Journal journal = keep(new Journal(database));
    Listener listener = keep(new Listener(listenUrl, Map.of(Journal.CHANNEL, journal.receiver())));

    log.info("started {} with duties {} {} {} {}", node, duties, leases, listener, data);
    url = "http://" + config.get(Settings.HOST) + ":" + config.get(Settings.PORT);
  }

  /** Starts everything that the duties ask for and answers once it serves. */
  public static App start(Config config, Set<Duty> duties, Path data) {
    return new App(config, duties, data);
  }

  /** Where the listener is. */
  public String url() {
    return url;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      AutoCloseable part = started.pop();
      try {
        part.close();
      } catch (Exception e) {
        log.warn("stopping {} failed", part.getClass().getSimpleName(), e);
      }
    }
  }

  private <T extends AutoCloseable> T keep(T part) {
    started.push(part);
    return part;
  }

  /** Brings the schema up to date, waiting for a database that is still away. */
  private static void migrate(Database database) {
    while (true) {
      try {
        int _ = database.read(tx -> tx.sql("select 1 as alive").one(row -> row.intAt("alive")));
        int applied = Migrations.apply(database);
        log.info("schema up to date, {} migrations applied now", applied);
        return;
      } catch (StoreUnavailable e) {
        log.warn("waiting for the database: {}", e.getMessage());
        LockSupport.parkNanos(STORE_RETRY.toNanos());
      }
    }
  }
}
