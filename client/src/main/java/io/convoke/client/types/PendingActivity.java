package io.convoke.client.types;

import java.time.Instant;

/** A {@code PendingActivity} of the API. */
public record PendingActivity(
    long executionId,
    long order,
    long attempt,
    boolean running,
    Instant dueAt) {}
