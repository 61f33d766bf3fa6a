package io.convoke.server.meetings;

import io.convoke.engine.sql.Row;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A meeting row as the API shows it (docs/spec/contract.md, "Meetings and presence").
 *
 * @param platformSpecificId the platform's own name of the meeting or room
 * @param botContainerId the launcher's handle; absent until launched and for tracked meetings
 * @param numClients open sessions; presence alone writes it
 * @param tracked whether presence is kept without a bot
 */
public record Meeting(
    long id,
    long userId,
    String platform,
    String platformSpecificId,
    MeetingStatus status,
    Optional<String> botContainerId,
    Optional<Instant> startTime,
    Optional<Instant> endTime,
    int numClients,
    boolean tracked,
    JsonNode data,
    Instant createdAt,
    Instant updatedAt) {

  /** The columns that {@link #of} reads. */
  public static final String COLUMNS =
      "id, user_id, platform, platform_specific_id, status, bot_container_id, start_time, end_time, "
          + "num_clients, tracked, data, created_at, updated_at";

  /** Reads a row of {@link #COLUMNS}. */
  public static Meeting of(Row row) {
    return new Meeting(
        row.longAt("id"),
        row.longAt("user_id"),
        row.text("platform"),
        row.text("platform_specific_id"),
        MeetingStatus.of(row.text("status")),
        row.maybeText("bot_container_id"),
        row.maybeInstant("start_time"),
        row.maybeInstant("end_time"),
        row.intAt("num_clients"),
        row.booleanAt("tracked"),
        row.json("data"),
        row.instant("created_at"),
        row.instant("updated_at"));
  }
}
