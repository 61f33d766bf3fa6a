package io.convoke.client.types;

/** A {@code SimulationCounts} of the API. */
public record SimulationCounts(
    long rooms,
    long people,
    long upcoming,
    long requests) {}
