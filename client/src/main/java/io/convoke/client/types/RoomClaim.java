package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code RoomClaim} of the API.
 *
 * @param userId null: a team's.
 * @param track true: every visit to the room is tracked.
 */
public record RoomClaim(
    String platform,
    String room,
    Optional<Long> userId,
    Optional<Long> teamId,
    Instant claimedAt,
    Optional<Boolean> track) {}
