package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code ParticipantsView} of the API.
 *
 * @param pollState One of idle, needs_poll, polling, needs_poll_while_polling.
 */
public record ParticipantsView(
    long meetingId,
    long numClients,
    Optional<Instant> asOf,
    Optional<String> source,
    String pollState,
    List<ParticipantView> items) {}
