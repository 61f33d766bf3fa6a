package io.convoke.client;

import java.time.Instant;
import tools.jackson.databind.JsonNode;

/**
 * An event of the journal.
 *
 * @param seq its number; later events have larger ones
 * @param type such as {@code participant.joined}
 * @param subject what it is about: {@code meeting:42}
 */
public record ConvokeEvent(long seq, String type, String subject, Instant at, JsonNode data) {}
