package io.convoke.bench.bots;

import io.convoke.bench.BenchEnvironment;
import io.convoke.bench.load.HttpRequestBytes;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.bots.BotTokens;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Bots as rows made by SQL, and the heartbeats of those that are active. */
final class LiveBots {
  private final BenchEnvironment environment;
  private final BotTokens tokens;

  LiveBots(BenchEnvironment environment) {
    this.environment = environment;
    this.tokens = new BotTokens(SecretBox.of(environment.key()));
  }

  /** Inserts active bots whose launcher does not run. */
  void insertActive(int number) throws SQLException {
    environment.run(
        """
        insert into convoke.meetings (user_id, platform, platform_specific_id, status, connection_id,
          start_time, admitted_at, bot_container_id)
        select (select min(id) from convoke.users), 'daily', 'live-' || i, 'active',
          gen_random_uuid()::text, now(), now(), 'bench:' || i
        from generate_series(1, %d) i
        """
            .formatted(number));
  }

  /** Inserts bots that ended over the last year. */
  void insertEnded(int number) throws SQLException {
    environment.run(
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
    environment.run("vacuum analyze convoke.meetings");
  }

  /** Builds heartbeat requests of the active bots, one bot after the other. */
  HttpRequestBytes heartbeats(URI server, int number) throws SQLException {
    List<byte[]> bots = new ArrayList<>();
    try (Connection connection = environment.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select id, connection_id from convoke.meetings where status = 'active' order"
                    + " by id")) {
      while (rows.next()) {
        String launch = rows.getString(2);
        bots.add(
            HttpRequestBytes.post(
                server,
                "/callback/heartbeat",
                "{\"connection_id\":\"%s\"}".formatted(launch).getBytes(StandardCharsets.US_ASCII),
                "Authorization: Bearer " + tokens.of(rows.getLong(1), 1, launch)));
      }
    }
    byte[][] all = new byte[number][];
    for (int i = 0; i < number; i++) {
      all[i] = bots.get(i % bots.size());
    }
    return new HttpRequestBytes(all);
  }
}
