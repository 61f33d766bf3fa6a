package io.convoke.client.types;

/** A {@code RegionView} of the API. */
public record RegionView(
    String region,
    long pending,
    long processing,
    long oldestPendingMs,
    long pods,
    long slots,
    long freeSlots) {}
