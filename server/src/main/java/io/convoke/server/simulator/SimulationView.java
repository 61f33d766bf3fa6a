package io.convoke.server.simulator;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The simulator's scenario and injected faults.
 *
 * @param scenario name of the last started scenario
 * @param speed how many scripted seconds pass in a second
 * @param presenceLagS age of its presence responses, in seconds
 */
record SimulationView(
    String scenario,
    long seed,
    double speed,
    double presenceLagS,
    SimulationCounts counts,
    List<SimulationFault> faults) {

  /**
   * Counts of the simulation.
   *
   * @param rooms that exist
   * @param people participants in them now
   * @param upcoming scripted meetings that have not begun
   * @param requests API requests served
   */
  record SimulationCounts(int rooms, int people, int upcoming, long requests) {}

  /**
   * One kind of injected fault.
   *
   * @param effect short description
   * @param lasting whether {@code amountS}, its longest duration in seconds, applies
   * @param on target to which it is restricted
   * @param times remaining injections, if limited
   */
  record SimulationFault(
      String kind,
      String effect,
      double probability,
      boolean lasting,
      double amountS,
      Optional<String> on,
      Optional<Integer> times,
      long strikes) {}

  /** Parses the response of {@code GET /control/state}. */
  static SimulationView of(JsonNode state) {
    JsonNode rooms = state.path("rooms");
    long requests =
        state
            .path("requests")
            .valueStream()
            .flatMap(JsonNode::valueStream)
            .mapToLong(count -> count.asLong(0))
            .sum();
    return new SimulationView(
        state.path("scenario").asString("unknown"),
        state.path("seed").asLong(0),
        state.path("speed").asDouble(1),
        state.path("presence_lag_s").asDouble(0),
        new SimulationCounts(
            rooms.size(),
            rooms.valueStream().mapToInt(room -> room.path("participants").size()).sum(),
            state.path("upcoming").size(),
            requests),
        state.path("faults").properties().stream()
            .map(fault -> fault(fault.getKey(), fault.getValue()))
            .toList());
  }

  private static SimulationFault fault(String kind, JsonNode given) {
    return new SimulationFault(
        kind,
        given.path("effect").asString(""),
        given.path("probability").asDouble(0),
        given.path("lasting").asBoolean(false),
        given.path("amount_s").asDouble(0),
        given.path("on").isString() ? Optional.of(given.path("on").asString()) : Optional.empty(),
        given.path("times").isInt()
            ? Optional.of(given.path("times").intValue())
            : Optional.empty(),
        given.path("strikes").asLong(0));
  }
}
