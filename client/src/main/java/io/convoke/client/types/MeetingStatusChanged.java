package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A {@code MeetingStatusChanged} of the API.
 *
 * @param from Null when the row was created.
 * @param reason Why, as a stable word.
 * @param event What moved it.
 * @param actor The author: user:7, bot, launcher, sweeper.
 * @param attempt The launch of the bot.
 */
public record MeetingStatusChanged(
    long meetingId,
    long userId,
    Optional<String> from,
    String to,
    String reason,
    String event,
    String actor,
    long attempt,
    Optional<Instant> at,
    Optional<JsonNode> evidence) {}
