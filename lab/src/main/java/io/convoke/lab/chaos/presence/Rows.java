package io.convoke.lab.chaos.presence;

import io.convoke.lab.chaos.Select;
import io.convoke.lab.chaos.history.MeetingRow;
import io.convoke.lab.chaos.history.Row;
import io.convoke.lab.chaos.history.Told;
import io.convoke.lab.sim.http.Json;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the servers wrote, read past them from the tables that the outside contract names. */
final class Rows {
  private final Connection connection;

  Rows(Connection connection) {
    this.connection = connection;
  }

  List<Row> sessions() throws SQLException {
    return Select.list(
        connection,
        "select meeting_id, session_id, joined_at, left_at from convoke.participant_sessions",
        row ->
            new Row(
                row.getLong(1),
                row.getString(2),
                row.getTimestamp(3).toInstant(),
                instant(row.getTimestamp(4))));
  }

  List<MeetingRow> meetings() throws SQLException {
    return Select.list(
        connection,
        "select id, platform_specific_id, status, num_clients from convoke.meetings order by id",
        row -> new MeetingRow(row.getLong(1), row.getString(2), row.getString(3), row.getInt(4)));
  }

  List<Told> journal() throws SQLException {
    return Select.list(
        connection,
        "select seq, type, subject, data::text from convoke.events order by seq",
        row ->
            told(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                Json.read(row.getString(4).getBytes(StandardCharsets.UTF_8)).orElseThrow()));
  }

  /** An event as the rules see it, from wherever it was read. */
  static Told told(long seq, String type, String subject, JsonNode data) {
    String number = subject.startsWith("meeting:") ? subject.substring("meeting:".length()) : "0";
    return new Told(
        seq,
        type,
        Long.parseLong(number),
        Json.string(data, "session_id"),
        data.path("num_clients").isNumber()
            ? Optional.of(data.path("num_clients").asInt())
            : Optional.empty(),
        Json.string(data, "from"),
        Json.string(data, "to"));
  }

  private static Optional<Instant> instant(@Nullable Timestamp time) {
    return Optional.ofNullable(time).map(Timestamp::toInstant);
  }
}
