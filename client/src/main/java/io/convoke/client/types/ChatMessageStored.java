package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code ChatMessageStored} of the API.
 *
 * @param fromBot Whether the bot wrote it.
 */
public record ChatMessageStored(
    long meetingId,
    String sessionUid,
    long id,
    Optional<String> sender,
    String text,
    Instant at,
    boolean fromBot) {}
