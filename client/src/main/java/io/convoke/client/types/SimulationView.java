package io.convoke.client.types;

import java.util.List;

/** A {@code SimulationView} of the API. */
public record SimulationView(
    String scenario,
    long seed,
    double speed,
    double presenceLagS,
    SimulationCounts counts,
    List<SimulationFault> faults) {}
