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
 * @param userId the owner; only operators see events without one
 * @param data the facts, an object
 */
public record JournalEvent(
    long seq, String type, String subject, Optional<Long> userId, Instant at, JsonNode data) {}
