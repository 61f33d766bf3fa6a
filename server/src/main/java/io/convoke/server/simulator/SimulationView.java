package io.convoke.server.simulator;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What the simulator plays, and what is made to go wrong in it.
 *
 * @param scenario the name of what was started last
 * @param speed how many scripted seconds pass in a second
 * @param presenceLagS how old its presence answers are, in seconds
 */
record SimulationView(
    String scenario,
    long seed,
    double speed,
    double presenceLagS,
    SimulationCounts counts,
    List<SimulationFault> faults) {

  /**
   * How much goes on there.
   *
   * @param rooms that exist
   * @param people in them now
   * @param upcoming scripted meetings that have not begun
   * @param requests that its API has answered
   */
  record SimulationCounts(int rooms, int people, int upcoming, long requests) {}

  /**
   * One kind of fault.
   *
   * @param effect what it does, in a few words
   * @param lasting whether {@code amountS}, its largest span in seconds, means something
   * @param on where alone it strikes
   * @param times how many strikes are left, if they are counted
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

  /** From the answer to {@code GET /control/state}. */
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
