package io.convoke.bench.presence;

import io.convoke.fakes.client.ApiClient;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.LocalStores;
import io.convoke.simulator.webhook.WebhookSignature;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Stores, a relay that counts, the platform's stand-in, and servers of ours on them. */
final class PresenceTestEnvironment implements AutoCloseable {
  private static final String DATABASE = "convoke";
  private static final long LOOK_NANOS = 20_000_000;

  private final Path folder;
  private final FakeDaily platform;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores localStores;
  private final CountingRedisProxy countingRedisProxy;
  private final RedisClient client;
  private final StatefulRedisConnection<String, String> redis;
  private final String secret = randomKey();
  private final String adminToken = randomKey();
  private final String secretKey = randomKey();
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  PresenceTestEnvironment(Path folder, FakeDaily platform) throws IOException {
    this.folder = folder;
    this.platform = platform;
    this.localStores = LocalStores.open(folder.resolve("stores"));
    this.countingRedisProxy = new CountingRedisProxy(URI.create(localStores.redis().url()));
    this.client = RedisClient.create(localStores.redis().url());
    this.redis = client.connect();
  }

  /** Makes the tables, and so many active meetings with one person each. */
  void fill(int meetings) throws SQLException {
    try (JavaProcess api = startServer("setup", "api", false, Map.of())) {
      ApiClient _ = ApiClient.admin(api.url(), adminToken).newUser("bench@example.com");
    }
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      int _ =
          statement.executeUpdate(
              """
              insert into convoke.meetings
                (user_id, platform, platform_specific_id, status, tracked, num_clients, start_time)
              select (select min(id) from convoke.users), 'daily', 'room-' || i, 'active', true, 1,
                now() from generate_series(0, %d) i
              """
                  .formatted(meetings - 1));
      int _ =
          statement.executeUpdate(
              """
              insert into convoke.participant_sessions
                (meeting_id, session_id, user_name, joined_at, join_source, last_seen_at)
              select id, 'session-' || substr(platform_specific_id, 6), 'Somebody',
                now() - interval '10 minutes', 'webhook', now() from convoke.meetings
              """);
      int _ =
          statement.executeUpdate(
              """
              insert into convoke.presence (meeting_id, as_of, source, polled_at, due_at)
              select id, now(), 'bulk', now(), now() from convoke.meetings
              """);
      boolean _ = statement.execute("analyze");
    }
  }

  /** Forgets all meetings but so many. */
  void keepOnly(int meetings) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      int _ =
          statement.executeUpdate(
              """
              update convoke.participant_sessions set left_at = now()
              where left_at is null and meeting_id in (
                select id from convoke.meetings where substr(platform_specific_id, 6)::int >= %d)
              """
                  .formatted(meetings));
      int _ =
          statement.executeUpdate(
              """
              update convoke.meetings set status = 'completed', end_time = now(), num_clients = 0
              where substr(platform_specific_id, 6)::int >= %d
              """
                  .formatted(meetings));
      boolean _ = statement.execute("vacuum analyze");
    }
  }

  /** A server on these stores; {@code counted} through the relay. */
  JavaProcess startServer(String name, String roles, boolean counted, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", localStores.databaseUrl());
    settings.put(
        "CONVOKE_REDIS_URL", counted ? countingRedisProxy.url() : localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    settings.put("CONVOKE_ADMIN_TOKEN", adminToken);
    settings.put("CONVOKE_DAILY_WEBHOOK_SECRET", secret);
    settings.put("CONVOKE_DAILY_API_KEY", "bench");
    settings.put("CONVOKE_DAILY_API_URL", platform.url());
    settings.putAll(more);
    return JavaProcess.start(
        JavaProgramSpec.server(
                name,
                List.of(
                    "serve", "--port", "0", "--roles", roles, "--data", folder.resolve(name) + ""),
                settings,
                folder.resolve(name + ".log"))
            .withFlags(List.of("-Xmx1g")),
        orphanReaper);
  }

  /** A participant joins a room, and the server gets the webhook; returns the session. */
  String join(URI server, int room) throws IOException, InterruptedException {
    String session = UUID.randomUUID().toString();
    platform.join(room, session);
    double now = Instant.now().toEpochMilli() / 1000.0;
    byte[] body =
        String.format(
                Locale.ROOT,
                """
                {"version":"1.1.0","type":"participant.joined","id":"%s","payload":{"joined_at":%.3f,\
                "session_id":"%s","room":"%s","user_id":null,"user_name":"Newcomer","owner":false,\
                "permissions":{"hasPresence":true}},"event_ts":%.3f}\
                """,
                UUID.randomUUID(),
                now,
                session,
                FakeDaily.room(room),
                now)
            .getBytes(StandardCharsets.UTF_8);
    String timestamp = Long.toString(Instant.now().getEpochSecond());
    HttpResponse<Void> answer =
        http.send(
            HttpRequest.newBuilder(server.resolve("/webhooks/daily"))
                .header("Content-Type", "application/json")
                .header("X-Webhook-Timestamp", timestamp)
                .header("X-Webhook-Signature", WebhookSignature.sign(secret, timestamp, body))
                .POST(BodyPublishers.ofByteArray(body))
                .build(),
            BodyHandlers.discarding());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("a webhook was answered " + answer.statusCode());
    }
    return session;
  }

  /** Transactions of our database so far; those of an open connection may come a moment late. */
  long transactions() throws SQLException {
    try (Connection connection = localStores.postgres().connect("postgres");
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                select xact_commit + xact_rollback from pg_stat_database where datname = 'convoke'
                """)) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  /** Open sessions that the rows hold. */
  long present() throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select count(*) from convoke.participant_sessions where left_at is null");
        ResultSet row = statement.executeQuery()) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  /** Calls that the servers behind the relay made. */
  long relayed() {
    return countingRedisProxy.calls();
  }

  /** Commands that Redis ran; those of scripts are in it, so it tells truly only without any. */
  long commands() {
    return redis()
        .info("stats")
        .lines()
        .filter(line -> line.startsWith("total_commands_processed:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElseThrow();
  }

  RedisCommands<String, String> redis() {
    return redis.sync();
  }

  String redisUrl() {
    return localStores.redis().url();
  }

  String postgresVersion() {
    return localStores.postgres().version();
  }

  Connection connect() throws SQLException {
    return localStores.postgres().connect(DATABASE);
  }

  /** Waits until something holds. */
  static void await(String what, Duration atMost, BooleanSupplier holds) {
    long end = System.nanoTime() + atMost.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException(what + " did not come within " + atMost);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Override
  public void close() throws IOException {
    redis.close();
    client.shutdown();
    countingRedisProxy.close();
    localStores.close();
    orphanReaper.close();
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
