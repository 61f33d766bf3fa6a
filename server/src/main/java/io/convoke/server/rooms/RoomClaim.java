package io.convoke.server.rooms;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.convoke.engine.sql.ResultRow;
import java.time.Instant;
import java.util.Optional;

/**
 * A room of a user or of a team, as the API shows it.
 *
 * @param room its name on the platform, or a prefix that ends with {@code *}
 * @param userId null in JSON for a team's room
 * @param teamId absent from JSON for a user's room
 * @param claimedAt since when it is theirs
 * @param track whether every visit to the room is tracked; absent from JSON if not
 */
record RoomClaim(
    String platform,
    String room,
    Optional<Long> userId,
    @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<Long> teamId,
    Instant claimedAt,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean track) {
  /** The columns that {@link #of} reads. */
  static final String COLUMNS =
      "platform, room, nullif(user_id, 0) as user_id, case when user_id = 0 then team_id end as team_id,"
          + " claimed_at, user_id > 0 and tracks_for is not distinct from user_id as track";

  /** Reads a row of {@link #COLUMNS} that is claimed. */
  static RoomClaim of(ResultRow resultRow) {
    return new RoomClaim(
        resultRow.text("platform"),
        resultRow.text("room"),
        resultRow.maybeLong("user_id"),
        resultRow.maybeLong("team_id"),
        resultRow.instant("claimed_at"),
        resultRow.booleanAt("track"));
  }

  boolean belongsTo(RoomOwner owner) {
    return switch (owner) {
      case RoomOwner.RoomUser(long id) -> userId.filter(it -> it == id).isPresent();
      case RoomOwner.RoomTeam(long id) -> teamId.filter(it -> it == id).isPresent();
    };
  }
}
