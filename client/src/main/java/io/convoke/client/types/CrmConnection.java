package io.convoke.client.types;

import java.time.Instant;
import java.util.Optional;

/**
 * A {@code CrmConnection} of the API.
 *
 * @param available false: this server has no app at HubSpot.
 * @param failure Why notes do not reach it: connect it again.
 */
public record CrmConnection(
    boolean available,
    boolean connected,
    Optional<String> accountId,
    Optional<String> scopes,
    Optional<Instant> connectedAt,
    Optional<String> failure) {}
