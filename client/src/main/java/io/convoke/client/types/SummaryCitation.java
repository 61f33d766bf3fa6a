package io.convoke.client.types;

/** A {@code SummaryCitation} of the API. */
public record SummaryCitation(
    long mark,
    long segmentId,
    double start) {}
