package io.convoke.client.types;

/** A {@code PodView} of the API. */
public record PodView(
    String podId,
    String region,
    long slots,
    long freeSlots,
    long processing,
    boolean draining) {}
