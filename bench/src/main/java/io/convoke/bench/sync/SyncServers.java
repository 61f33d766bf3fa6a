package io.convoke.bench.sync;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.load.ServerCandidate;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The three servers of the sync benchmark; all serve the same statuses of the same meetings. */
final class SyncServers {
  static final String BARE = "bare";
  static final String NAIVE = "naive";
  static final String OURS = "ours";

  private final BenchEnvironment environment;
  private final String apiKey;
  private final List<Long> meetings = new ArrayList<>();
  private final Map<String, ServerCandidate> candidates = new HashMap<>();

  /** Starts the servers and gives each meeting a status. */
  SyncServers(BenchEnvironment environment, int number) throws SQLException, IOException {
    this.environment = environment;
    candidates.put(OURS, environment.startServer(OURS, "api,sync", Map.of()));
    this.apiKey = environment.insertUsers(1).getFirst();
    insertMeetings(number);
    HttpExchanges ours = exchanges(OURS);
    for (long meeting : meetings) {
      ours.postUpdate(meeting);
      String _ =
          environment.redis().set(NaiveUpdates.PREFIX + meeting, ours.getStatus(meeting).body());
    }
    HttpExchanges.HttpAnswer sample = ours.getStatus(meetings.getFirst());
    for (String name : List.of(BARE, NAIVE)) {
      candidates.put(name, reference(name, sample));
      exchanges(name).requireSame(meetings.getFirst(), sample);
    }
  }

  ServerCandidate candidate(String name) {
    ServerCandidate known = candidates.get(name);
    if (known == null) {
      throw new IllegalArgumentException("no server " + name);
    }
    return known;
  }

  SyncRequests requests() {
    return new SyncRequests(meetings, apiKey, environment.internalToken());
  }

  /** The number of updates in the rows of Convoke or of the reference. */
  long applied(String name) throws SQLException {
    return environment.number(
        "select coalesce(sum(version), 0) from %s.sync_status"
            .formatted(name.equals(OURS) ? "convoke" : "naive"));
  }

  /** The number of polls that Convoke answered from Redis. */
  long hits() throws IOException {
    return exchanges(OURS).metric("convoke_sync_reads_total{result=\"hit\"}");
  }

  private HttpExchanges exchanges(String name) {
    return new HttpExchanges(candidate(name).url(), apiKey, environment.internalToken());
  }

  /** Also makes the table of the reference. */
  private void insertMeetings(int number) throws SQLException {
    environment.run(
        """
        create schema naive;
        create table naive.sync_status (meeting_id text primary key, status text not null,
          last_step text, version bigint not null, updated_at timestamptz not null)
        """);
    try (Connection connection = environment.connect();
        Statement statement = connection.createStatement();
        ResultSet ids =
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

  private ServerCandidate reference(String name, HttpExchanges.HttpAnswer sample) {
    URI database = environment.databaseUrl();
    String[] login = database.getUserInfo().split(":", 2);
    return environment.startReference(
        name,
        SyncReferenceServer.class,
        Map.of(
            SyncReferenceServer.REDIS_URL,
            environment.redisUrl(),
            SyncReferenceServer.DATABASE_URL,
            "jdbc:postgresql://%s:%d%s?user=%s&password=%s"
                .formatted(
                    database.getHost(), database.getPort(), database.getPath(), login[0], login[1]),
            SyncReferenceServer.HEADERS,
            sample.headerLines(),
            SyncReferenceServer.BODY,
            sample.body()));
  }
}
