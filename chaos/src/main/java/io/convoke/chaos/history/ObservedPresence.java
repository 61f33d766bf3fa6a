package io.convoke.chaos.history;

import java.time.Instant;
import java.util.List;

/**
 * An API response with the participants of a meeting.
 *
 * @param askedAt when the request was sent; the response was true at some time until {@code
 *     answered}
 * @param present the sessions it lists as open
 */
public record ObservedPresence(
    Instant askedAt, Instant answered, long meetingId, int numClients, List<String> present) {}
