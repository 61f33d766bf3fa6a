package io.convoke.bench;

import io.convoke.bench.load.ServerCandidate;
import io.convoke.bench.report.MachineDescription;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.crypto.Sha256Hash;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.process.TempFolder;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The stores, the secrets and the server processes of one benchmark run. All its servers run with
 * the same JVM flags, so that no candidate collects garbage less often than the others.
 */
public final class BenchEnvironment implements AutoCloseable {
  private static final String DATABASE = "convoke";
  private static final long POLL_NANOS = 20_000_000;

  private final byte[] key = SecretBox.newKey();
  private final String secretKey = Base64.getEncoder().encodeToString(key);
  private final String adminToken = randomSecret();
  private final String internalToken = randomSecret();
  private final String webhookSecret = randomSecret();
  private final List<String> jvmFlags;
  private final TempFolder folder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores stores;
  private final RedisClient redisClient;
  private final StatefulRedisConnection<String, String> redis;
  private final List<ServerCandidate> servers = new ArrayList<>();

  private BenchEnvironment(TempFolder folder, List<String> jvmFlags) {
    this.folder = folder;
    this.jvmFlags = jvmFlags;
    this.stores = LocalStores.open(folder.folder().resolve("stores"));
    this.redisClient = RedisClient.create(redisUrl());
    this.redis = redisClient.connect();
  }

  /** Starts the stores; {@code jvmFlags} are those of every server. */
  public static BenchEnvironment open(String... jvmFlags) throws IOException {
    return new BenchEnvironment(TempFolder.open("convoke-bench"), List.of(jvmFlags));
  }

  /** Starts a Convoke server; {@code settings} override or extend those of the environment. */
  public ServerCandidate startServer(String name, String roles, Map<String, String> settings) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "CONVOKE_DATABASE_URL",
                stores.databaseUrl(),
                "CONVOKE_REDIS_URL",
                redisUrl(),
                "CONVOKE_SECRET_KEY",
                secretKey,
                "CONVOKE_ADMIN_TOKEN",
                adminToken,
                "CONVOKE_INTERNAL_TOKEN",
                internalToken,
                "CONVOKE_RATE_LIMIT",
                "100000"));
    all.putAll(settings);
    String data = path(name).toString();
    List<String> arguments = List.of("serve", "--port", "0", "--roles", roles, "--data", data);
    return start(JavaProgramSpec.server(name, arguments, all, log(name)).withFlags(jvmFlags));
  }

  /** Starts a reference server, which gets its name as its argument. */
  public ServerCandidate startReference(
      String name, Class<?> main, Map<String, String> environment) {
    return start(
        new JavaProgramSpec(name, main.getName(), List.of(name), environment, jvmFlags, log(name)));
  }

  private ServerCandidate start(JavaProgramSpec program) {
    ServerCandidate server =
        new ServerCandidate(program.name(), JavaProcess.start(program, orphanReaper));
    servers.add(server);
    return server;
  }

  /** The machine and the versions of the stores in one line. */
  public String machine() {
    String redisVersion = info("server", "redis_version");
    return "machine  "
        + MachineDescription.ofThis()
            .with("Postgres " + stores.postgres().version() + ", Redis " + redisVersion)
            .line();
  }

  /** One value of Redis' {@code INFO}. */
  public String info(String section, String name) {
    return redis()
        .info(section)
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  public RedisCommands<String, String> redis() {
    return redis.sync();
  }

  public String redisUrl() {
    return stores.redis().url();
  }

  public URI databaseUrl() {
    return URI.create(stores.databaseUrl());
  }

  public Connection connect() throws SQLException {
    return stores.postgres().connect(DATABASE);
  }

  public void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  public long number(String sql) throws SQLException {
    return number(DATABASE, sql);
  }

  /**
   * Transactions of the servers' database so far, read from another database so that the query does
   * not count itself. An open connection reports its own up to two seconds late.
   */
  public long transactions() throws SQLException {
    return number(
        "postgres",
        "select xact_commit + xact_rollback from pg_stat_database where datname = 'convoke'");
  }

  private long number(String database, String sql) throws SQLException {
    try (Connection connection = stores.postgres().connect(database);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  /** Inserts users without a limit on bots; returns one API key of each. */
  public List<String> insertUsers(int number) throws SQLException {
    List<String> keys = new ArrayList<>();
    try (Connection connection = connect();
        PreparedStatement user =
            connection.prepareStatement(
                """
                with u as (insert into convoke.users (email, max_concurrent_bots)
                  values (?, 1000000) returning id)
                insert into convoke.api_tokens (user_id, token_hash) select id, ? from u
                """)) {
      for (int i = 0; i < number; i++) {
        String apiKey = String.format(Locale.ROOT, "cvk_%043d", i);
        user.setString(1, "bench-" + i + "@example.com");
        user.setBytes(2, Sha256Hash.of(apiKey));
        int _ = user.executeUpdate();
        keys.add(apiKey);
      }
    }
    return keys;
  }

  /** The key with which servers seal secrets. */
  public byte[] key() {
    return key.clone();
  }

  public String adminToken() {
    return adminToken;
  }

  public String internalToken() {
    return internalToken;
  }

  public String webhookSecret() {
    return webhookSecret;
  }

  /** Polls until a condition holds. */
  public static void await(String what, Duration atMost, BooleanSupplier condition) {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(what + " did not come within " + atMost);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  @Override
  public void close() throws IOException {
    servers.reversed().forEach(ServerCandidate::close);
    redis.close();
    redisClient.shutdown();
    stores.close();
    orphanReaper.close();
    folder.close();
  }

  private Path path(String name) {
    return folder.folder().resolve(name);
  }

  private Path log(String name) {
    return path(name + ".log");
  }

  private static String randomSecret() {
    return Base64.getEncoder().encodeToString(SecretBox.newKey());
  }
}
