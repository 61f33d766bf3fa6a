package io.convoke.client.types;

import java.util.Optional;

/** A {@code TaskSettled} of the API. */
public record TaskSettled(
    String taskId,
    Optional<String> requeuedAs,
    Optional<Long> userId,
    String actor) {}
