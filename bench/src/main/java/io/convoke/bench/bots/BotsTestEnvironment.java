package io.convoke.bench.bots;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.bots.BotTokens;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Stores, rows made by SQL, and servers of ours on them. */
final class BotsTestEnvironment implements AutoCloseable {
  private static final String DATABASE = "convoke";

  private final Path folder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores localStores;
  private final byte[] key = SecretBox.newKey();
  private final String secretKey = Base64.getEncoder().encodeToString(key);
  private final BotTokens tokens = new BotTokens(SecretBox.of(key));

  BotsTestEnvironment(Path folder) {
    this.folder = folder;
    this.localStores = LocalStores.open(folder.resolve("stores"));
    int _ = startServer("setup", "api", Map.of()).stop();
  }

  /** A server on these stores. */
  JavaProcess startServer(String name, String roles, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_DATABASE_URL", localStores.databaseUrl());
    settings.put("CONVOKE_REDIS_URL", localStores.redis().url());
    settings.put("CONVOKE_SECRET_KEY", secretKey);
    settings.put("CONVOKE_ADMIN_TOKEN", "admin_" + secretKey);
    settings.put("CONVOKE_RATE_LIMIT", "100000");
    settings.putAll(more);
    return JavaProcess.start(
        JavaProgramSpec.server(
                name,
                List.of(
                    "serve",
                    "--port",
                    "0",
                    "--roles",
                    roles,
                    "--data",
                    folder.resolve(name).toString()),
                settings,
                folder.resolve(name + ".log"))
            .withFlags(List.of("-Xmx1g")),
        orphanReaper);
  }

  static InetSocketAddress address(JavaProcess server) {
    URI url = server.url();
    return new InetSocketAddress(url.getHost(), url.getPort());
  }

  /** So many users without a limit; answers their keys. */
  List<String> users(int number) throws SQLException {
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
        String key = String.format(Locale.ROOT, "cvk_%043d", i);
        user.setString(1, "bench-" + i + "@example.com");
        user.setBytes(2, sha256(key));
        int _ = user.executeUpdate();
        keys.add(key);
      }
    }
    return keys;
  }

  /** Bots in the meeting, launched by a launcher that is gone. */
  void insertLiveBots(int number) throws SQLException {
    run(
        """
        insert into convoke.meetings (user_id, platform, platform_specific_id, status, connection_id,
          start_time, admitted_at, bot_container_id)
        select (select min(id) from convoke.users), 'daily', 'live-' || i, 'active',
          gen_random_uuid()::text, now(), now(), 'bench:' || i
        from generate_series(1, %d) i
        """
            .formatted(number));
  }

  /** Bots that ended over the last year. */
  void over(int number) throws SQLException {
    run(
        """
        insert into convoke.meetings (user_id, platform, platform_specific_id, status, connection_id,
          created_at, start_time, admitted_at, end_time, updated_at, state_entered_at, data)
        select u.id, 'daily', 'over-' || i, case when i %% 5 = 0 then 'failed' else 'completed' end,
          gen_random_uuid()::text, t, t, t, t + interval '1 hour', t + interval '1 hour',
          t + interval '1 hour', '{"outcome": {"reason": "meeting_ended"}}'
        from (select i, now() - interval '1 day' - i * interval '30 s' as t
              from generate_series(1, %d) i) as past,
          (select min(id) as id from convoke.users) as u
        """
            .formatted(number));
    run("vacuum analyze convoke.meetings");
  }

  /** One heartbeat for each of these bots as a whole request, over and over. */
  byte[][] heartbeats(URI server, int number) throws SQLException {
    List<byte[]> bots = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select id, connection_id from convoke.meetings where status = 'active' order"
                    + " by id")) {
      while (rows.next()) {
        String launch = rows.getString(2);
        bots.add(
            request(
                server,
                "/callback/heartbeat",
                "Authorization: Bearer " + tokens.of(rows.getLong(1), 1, launch),
                "{\"connection_id\":\"" + launch + "\"}"));
      }
    }
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      all[i] = bots.get(i % bots.size());
    }
    return all;
  }

  static byte[] request(URI server, String path, String header, String body) {
    return """
    POST %s HTTP/1.1\r
    Host: %s\r
    Content-Type: application/json\r
    %s\r
    Content-Length: %d\r
    \r
    %s\
    """
        .formatted(path, server.getAuthority(), header, body.length(), body)
        .getBytes(StandardCharsets.US_ASCII);
  }

  void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }

  /** One number, asked from another database, so that the question is not counted with it. */
  long number(String sql) throws SQLException {
    try (Connection connection =
            localStores
                .postgres()
                .connect(sql.contains("pg_stat_database") ? "postgres" : DATABASE);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  long transactions() throws SQLException {
    return number(
        "select xact_commit + xact_rollback from pg_stat_database where datname = 'convoke'");
  }

  Connection connect() throws SQLException {
    return localStores.postgres().connect(DATABASE);
  }

  String postgresVersion() {
    return localStores.postgres().version();
  }

  @Override
  public void close() throws IOException {
    localStores.close();
    orphanReaper.close();
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
