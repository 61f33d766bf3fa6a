package io.convoke.bench.sync;

import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A fair first version of an update: one committed upsert, one awaited SET. Each caller has an open
 * connection with a prepared statement, so that none waits for one. It has no journal, no order of
 * updates and no idempotency.
 */
final class NaiveUpdates {
  static final String PREFIX = "naive:";

  /** One for each of the callers. */
  private static final int CONNECTIONS = 64;

  private static final JsonMapper MAPPER = JsonMapper.shared();
  private static final String UPSERT =
      """
      insert into naive.sync_status as s (meeting_id, status, last_step, version, updated_at)
      values (?, ?, ?, 1, now())
      on conflict (meeting_id) do update set status = excluded.status,
        last_step = excluded.last_step, version = s.version + 1, updated_at = now()
      returning version, updated_at
      """;

  private final RedisCommands<String, String> redis;
  private final BlockingQueue<PreparedStatement> upserts = new ArrayBlockingQueue<>(CONNECTIONS);

  NaiveUpdates(RedisCommands<String, String> redis, String databaseUrl) throws SQLException {
    this.redis = redis;
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = DriverManager.getConnection(databaseUrl);
      boolean _ = upserts.add(connection.prepareStatement(UPSERT));
    }
  }

  byte[] apply(byte[] body) throws SQLException, InterruptedException {
    JsonNode update = MAPPER.readTree(body);
    String id = update.path("meeting_id").asString();
    String status = update.path("status").asString();
    String step = update.path("step").asString();
    String record = upsert(id, status, step);
    String _ = redis.set(PREFIX + id, record);
    return record.getBytes(StandardCharsets.UTF_8);
  }

  private String upsert(String id, String status, String step)
      throws SQLException, InterruptedException {
    PreparedStatement upsert = upserts.take();
    try {
      upsert.setString(1, id);
      upsert.setString(2, status);
      upsert.setString(3, step);
      try (ResultSet row = upsert.executeQuery()) {
        boolean _ = row.next();
        return MAPPER
            .createObjectNode()
            .put("meeting_id", id)
            .put("status", status)
            .put("last_step", step)
            .put("version", row.getLong(1))
            .put("updated_at", row.getString(2))
            .toString();
      }
    } finally {
      upserts.add(upsert);
    }
  }
}
