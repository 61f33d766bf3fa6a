package io.convoke.chaos.presence;

import io.convoke.chaos.SqlReader;
import io.convoke.chaos.history.PresenceHistory.EventDetails;
import io.convoke.chaos.history.PresenceHistory.MeetingRow;
import io.convoke.chaos.history.PresenceHistory.ObservedEvent;
import io.convoke.chaos.history.PresenceHistory.SessionRow;
import io.convoke.simulator.http.SimJson;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads the servers' rows directly from the tables documented in docs/spec/contract.md. */
final class PresenceRows {
  private final Connection connection;

  PresenceRows(Connection connection) {
    this.connection = connection;
  }

  List<SessionRow> sessions() throws SQLException {
    return SqlReader.list(
        connection,
        """
        select meeting_id, session_id, joined_at, left_at, user_id, user_name
        from convoke.participant_sessions
        where meeting_id in (select id from convoke.meetings where platform = 'daily')
        """,
        row ->
            new SessionRow(
                row.getLong(1),
                row.getString(2),
                row.getTimestamp(3).toInstant(),
                instant(row.getTimestamp(4)),
                Optional.ofNullable(row.getString(5)),
                Optional.ofNullable(row.getString(6))));
  }

  List<MeetingRow> meetings() throws SQLException {
    return SqlReader.list(
        connection,
        """
        select id, platform_specific_id, status, num_clients, user_id, tracked,
          least(created_at, start_time), end_time
        from convoke.meetings where platform = 'daily' order by id
        """,
        row ->
            new MeetingRow(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getInt(4),
                row.getLong(5),
                row.getBoolean(6),
                row.getTimestamp(7).toInstant(),
                instant(row.getTimestamp(8))));
  }

  List<ObservedEvent> journal() throws SQLException {
    return SqlReader.list(
        connection,
        """
        select seq, type, subject, data::text, xmin::text from convoke.events
        where subject not in
          (select 'meeting:' || id from convoke.meetings where platform <> 'daily')
        order by seq
        """,
        row ->
            fromJournal(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                SimJson.read(row.getString(4).getBytes(StandardCharsets.UTF_8)).orElseThrow(),
                row.getString(5)));
  }

  private static ObservedEvent fromJournal(
      long seq, String type, String subject, JsonNode data, String transaction) {
    String number = subject.startsWith("meeting:") ? subject.substring("meeting:".length()) : "0";
    return new ObservedEvent(
        seq,
        type,
        Long.parseLong(number),
        SimJson.string(data, "session_id"),
        data.path("num_clients").isNumber()
            ? Optional.of(data.path("num_clients").asInt())
            : Optional.empty(),
        SimJson.string(data, "from"),
        SimJson.string(data, "to"),
        type.equals("participant.joined") || type.equals("participant.left")
            ? Optional.of(details(data, transaction))
            : Optional.empty());
  }

  private static EventDetails details(JsonNode data, String transaction) {
    return new EventDetails(
        transaction,
        data.path("meeting_id").asLong(),
        data.path("user_id").asLong(),
        SimJson.string(data, "participant_id"),
        SimJson.string(data, "user_name"),
        Instant.parse(data.path("at").asString()),
        Instant.parse(data.path("joined_at").asString()),
        SimJson.string(data, "left_at").map(Instant::parse),
        data.path("source").asString(""));
  }

  private static Optional<Instant> instant(@Nullable Timestamp time) {
    return Optional.ofNullable(time).map(Timestamp::toInstant);
  }
}
