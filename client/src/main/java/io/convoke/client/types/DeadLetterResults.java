package io.convoke.client.types;

import java.util.List;

/** A {@code DeadLetterResults} of the API. */
public record DeadLetterResults(
    boolean dryRun,
    List<DeadLetterResult> items,
    boolean more) {}
