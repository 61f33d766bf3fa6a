package io.convoke.client.types;

import java.util.Optional;

/** A {@code SummaryChanged} of the API. */
public record SummaryChanged(
    long meetingId,
    long run,
    String to,
    Optional<String> error,
    String actor) {}
