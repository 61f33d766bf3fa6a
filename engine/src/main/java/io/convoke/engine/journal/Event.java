package io.convoke.engine.journal;

import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Something that happened.
 *
 * @param seq its place in the journal
 * @param type what happened, for example {@code participant.joined}
 * @param subject to what, for example {@code meeting:42}
 * @param userId whose it is; nobody's but the operator's when empty
 * @param data the facts, an object
 */
public record Event(
    long seq, String type, String subject, Optional<Long> userId, Instant at, JsonNode data) {}
