package io.convoke.client.types;

/** A {@code DispatchConfigView} of the API. */
public record DispatchConfigView(
    long taskTimeoutMs,
    long leaseMs,
    long maxAttempts) {}
