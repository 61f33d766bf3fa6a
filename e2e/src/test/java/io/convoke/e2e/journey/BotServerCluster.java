package io.convoke.e2e.journey;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.SimulatorConfig;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.ServerProcess;
import io.convoke.simulator.stores.EmbeddedRedis;
import io.convoke.simulator.stores.LocalStores;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Several server processes that launch bots, on one Postgres and one Redis. */
final class BotServerCluster implements AutoCloseable {
  private static final String ADMIN = "the-admins-token";
  private static final String SECRET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(60);

  final Simulator simulator = Simulator.start(SimulatorConfig.defaults());
  final EmbeddedRedis redis = LocalStores.forTests().ownRedis();
  final Database database;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final List<ServerProcess> servers = new ArrayList<>();

  BotServerCluster(Path folder, int number, Map<String, String> more) {
    String url = LocalStores.forTests().freshDatabase();
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", url);
    settings.put("CONVOKE_REDIS_URL", redis.url());
    settings.put("CONVOKE_SECRET_KEY", SECRET_KEY);
    settings.put("CONVOKE_ADMIN_TOKEN", ADMIN);
    settings.put("CONVOKE_MEETING_HOSTS", "127.0.0.1");
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.put("CONVOKE_BOTS_HEARTBEAT_INTERVAL", "1s");
    settings.putAll(more);
    for (int i = 0; i < number; i++) {
      servers.add(
          ServerProcess.start(
              orphanReaper,
              List.of(
                  "serve",
                  "--roles",
                  "api,bots",
                  "--port",
                  "0",
                  "--data",
                  folder.resolve("data").toString()),
              settings,
              folder.resolve("server-" + i + ".log")));
    }
    database = Database.open(DatabaseUrl.parse(url), 2, "bot-fleet-test", List.of("convoke"));
  }

  /** A new user with a limit, at the first server. */
  ApiClient.CreatedUser user(String name, int limit) {
    return ApiClient.admin(url(0), ADMIN)
        .withTimeout(Duration.ofMinutes(1))
        .newUser(name + "@example.org", limit);
  }

  /** The address of one of the servers, in turn. */
  URI url(int turn) {
    return URI.create(servers.get(turn % servers.size()).url());
  }

  /** Stops a server as an operator would, and starts it again. */
  void roll(int turn) {
    ServerProcess server = servers.get(turn % servers.size());
    server.stop();
    server.restart();
  }

  long count(String sql, Object... parameters) {
    return database.read(
        tx -> tx.sql(sql).with(parameters).one(resultRow -> resultRow.longAt("n")));
  }

  /** Polls for up to a minute. */
  static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("in vain: " + what);
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  @Override
  public void close() {
    database.close();
    servers.forEach(ServerProcess::close);
    simulator.close();
    redis.close();
    orphanReaper.close();
  }
}
