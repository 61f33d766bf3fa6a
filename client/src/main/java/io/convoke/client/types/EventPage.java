package io.convoke.client.types;

import java.util.List;
import java.util.Optional;

/** A {@code EventPage} of the API. */
public record EventPage(
    List<EventView> items,
    Optional<String> nextCursor,
    long nextAfter) {}
