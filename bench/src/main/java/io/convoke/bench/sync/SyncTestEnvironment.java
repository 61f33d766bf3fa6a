package io.convoke.bench.sync;

import io.convoke.bench.load.ServerCandidate;
import io.convoke.simulator.process.JavaProcess;
import io.convoke.simulator.process.JavaProgramSpec;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.stores.LocalStores;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The stores, a user with a key and meetings whose syncs have begun, and the three servers. */
final class SyncTestEnvironment implements AutoCloseable {
  static final String BARE = "bare";
  static final String NAIVE = "naive";
  static final String OURS = "ours";

  private static final String API_KEY = "cvk_" + "0".repeat(43);

  /** The same heap for all, so that none collects less often than the others. */
  private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m");

  private final Path folder;
  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final LocalStores localStores;
  private final String internalToken = randomKey();
  private final List<Long> meetings = new ArrayList<>();
  private final Map<String, ServerCandidate> candidates = new HashMap<>();

  private SyncTestEnvironment(Path folder) {
    this.folder = folder;
    this.localStores = LocalStores.open(folder.resolve("stores"));
  }

  /** Starts everything; each meeting has a status, in all three servers the same. */
  static SyncTestEnvironment open(Path folder, int meetings) throws SQLException, IOException {
    SyncTestEnvironment syncTestEnvironment = new SyncTestEnvironment(folder);
    try {
      syncTestEnvironment.furnish(meetings);
      return syncTestEnvironment;
    } catch (RuntimeException | SQLException | IOException failed) {
      syncTestEnvironment.close();
      throw failed;
    }
  }

  private void furnish(int number) throws SQLException, IOException {
    launch(server());
    fill(number);
    HttpExchanges httpExchanges = new HttpExchanges(candidate(OURS).url(), API_KEY, internalToken);
    Map<Long, String> bodies = new HashMap<>();
    for (long meeting : meetings) {
      httpExchanges.postUpdate(meeting);
      bodies.put(meeting, httpExchanges.getStatus(meeting).body());
    }
    HttpExchanges.HttpAnswer sample = httpExchanges.getStatus(meetings.getFirst());
    keep(bodies);
    launch(reference(BARE, sample));
    launch(reference(NAIVE, sample));
    for (String name : List.of(BARE, NAIVE)) {
      new HttpExchanges(candidate(name).url(), API_KEY, internalToken)
          .requireSame(meetings.getFirst(), sample);
    }
  }

  ServerCandidate candidate(String name) {
    ServerCandidate known = candidates.get(name);
    if (known == null) {
      throw new IllegalArgumentException("nobody started " + name);
    }
    return known;
  }

  SyncRequests wishes() {
    return new SyncRequests(meetings, API_KEY, internalToken);
  }

  /** How many updates are in the rows of ours, or of the reference. */
  long applied(String name) throws SQLException {
    return number(
        name.equals(OURS)
            ? "select coalesce(sum(version), 0) from convoke.sync_status"
            : "select coalesce(sum(version), 0) from naive.sync_status");
  }

  /** How many polls ours answered from Redis. */
  long hits() throws IOException {
    return new HttpExchanges(candidate(OURS).url(), API_KEY, internalToken)
        .metric("convoke_sync_reads_total{result=\"hit\"}");
  }

  String versions() {
    return "Postgres " + localStores.postgres().version();
  }

  @Override
  public void close() {
    candidates.values().forEach(ServerCandidate::close);
    localStores.close();
    orphanReaper.close();
  }

  /** A user, its key, its meetings and the reference's table. */
  private void fill(int number) throws SQLException {
    try (Connection connection = localStores.postgres().connect("convoke");
        Statement statement = connection.createStatement()) {
      boolean _ =
          statement.execute(
              """
              insert into convoke.users (email) values ('bench@example.com');
              create schema naive;
              create table naive.sync_status (meeting_id text primary key, status text not null,
                last_step text, version bigint not null, updated_at timestamptz not null)
              """);
      try (PreparedStatement key =
          connection.prepareStatement(
              "insert into convoke.api_tokens (user_id, token_hash) select id, ? from"
                  + " convoke.users")) {
        key.setBytes(1, sha256(API_KEY));
        int _ = key.executeUpdate();
      }
      try (ResultSet ids =
          statement.executeQuery(
              """
              insert into convoke.meetings (user_id, platform, platform_specific_id, status)
              select u.id, 'daily', 'bench-' || i, 'completed'
              from convoke.users u, generate_series(1, %d) i returning id
              """
                  .formatted(number))) {
        while (ids.next()) {
          meetings.add(ids.getLong(1));
        }
      }
    }
  }

  /** What the naive server reads. */
  private void keep(Map<Long, String> bodies) {
    RedisClient client = RedisClient.create(localStores.redis().url());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      bodies.forEach(
          (id, body) -> {
            String _ = connection.sync().set(NaiveUpdates.PREFIX + id, body);
          });
    } finally {
      client.shutdown();
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = localStores.postgres().connect("convoke");
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  private void launch(JavaProgramSpec program) {
    candidates.put(
        program.name(),
        new ServerCandidate(program.name(), JavaProcess.start(program, orphanReaper)));
  }

  private JavaProgramSpec server() {
    return JavaProgramSpec.server(
            OURS,
            List.of(
                "serve",
                "--port",
                "0",
                "--roles",
                "api,sync",
                "--data",
                folder.resolve(OURS).toString()),
            Map.of(
                "CONVOKE_DATABASE_URL",
                localStores.databaseUrl(),
                "CONVOKE_REDIS_URL",
                localStores.redis().url(),
                "CONVOKE_SECRET_KEY",
                randomKey(),
                "CONVOKE_INTERNAL_TOKEN",
                internalToken,
                "CONVOKE_RATE_LIMIT",
                "100000"),
            folder.resolve(OURS + ".log"))
        .withFlags(HEAP);
  }

  private JavaProgramSpec reference(String name, HttpExchanges.HttpAnswer sample) {
    URI database = URI.create(localStores.databaseUrl());
    String[] login = database.getUserInfo().split(":", 2);
    return new JavaProgramSpec(
        name,
        SyncReferenceServer.class.getName(),
        List.of(name),
        Map.of(
            SyncReferenceServer.REDIS_URL,
            localStores.redis().url(),
            SyncReferenceServer.DATABASE_URL,
            "jdbc:postgresql://%s:%d%s?user=%s&password=%s"
                .formatted(
                    database.getHost(), database.getPort(), database.getPath(), login[0], login[1]),
            SyncReferenceServer.HEADERS,
            sample.headerLines(),
            SyncReferenceServer.BODY,
            sample.body()),
        HEAP,
        folder.resolve(name + ".log"));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static String randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }
}
