package io.convoke.chaos.history;

import java.time.Instant;
import java.util.List;

/**
 * One answer of the API to who is in a meeting.
 *
 * @param askedAt when the question was sent; the answer was true at some time until {@code
 *     answered}
 * @param present the sessions it lists as open
 */
public record ObservedPresence(
    Instant askedAt, Instant answered, long meetingId, int numClients, List<String> present) {}
