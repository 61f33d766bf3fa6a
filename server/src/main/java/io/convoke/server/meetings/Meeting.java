package io.convoke.server.meetings;

import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A meeting row as the API shows it (docs/spec/contract.md, "Meetings and presence").
 *
 * @param substatus what it waits for, where its status does not say it
 * @param platformSpecificId the platform's own name of the meeting or room
 * @param botContainerId the launcher's handle; absent until launched and for tracked meetings
 * @param numClients open sessions; presence alone writes it
 * @param tracked whether presence is recorded without a bot
 */
public record Meeting(
    long id,
    long userId,
    String platform,
    String platformSpecificId,
    MeetingStatus status,
    Optional<MeetingSubstatus> substatus,
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
      "id, user_id, platform, platform_specific_id, status, bot_container_id, start_time, end_time,"
          + " num_clients, tracked, data, created_at, updated_at, "
          + MeetingSubstatus.COLUMNS;

  /** Reads a row of {@link #COLUMNS}. */
  public static Meeting of(ResultRow resultRow) {
    MeetingStatus status = MeetingStatus.of(resultRow.text("status"));
    Optional<String> handle = resultRow.maybeText("bot_container_id");
    return new Meeting(
        resultRow.longAt("id"),
        resultRow.longAt("user_id"),
        resultRow.text("platform"),
        resultRow.text("platform_specific_id"),
        status,
        MeetingSubstatus.of(status, handle, resultRow),
        handle,
        resultRow.maybeInstant("start_time"),
        resultRow.maybeInstant("end_time"),
        resultRow.intAt("num_clients"),
        resultRow.booleanAt("tracked"),
        resultRow.json("data"),
        resultRow.instant("created_at"),
        resultRow.instant("updated_at"));
  }
}
