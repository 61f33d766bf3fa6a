package io.convoke.client.types;

import java.util.Optional;

/** A {@code SimulationFault} of the API. */
public record SimulationFault(
    String kind,
    String effect,
    double probability,
    boolean lasting,
    double amountS,
    Optional<String> on,
    Optional<Long> times,
    long strikes) {}
