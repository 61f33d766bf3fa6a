package io.convoke.lab.sim.control;

import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Fault switches as JSON: a probability alone, or an object with all that can be set. */
final class FaultWire {

  private FaultWire() {}

  /**
   * Sets what the document names; absent on success, else what is wrong, and then nothing is set.
   */
  static Optional<String> apply(JsonNode document, Faults faults) {
    Map<FaultKind, Fault> wanted = new EnumMap<>(FaultKind.class);
    for (Map.Entry<String, JsonNode> entry : document.properties()) {
      if (entry.getKey().equals("seed")) {
        continue;
      }
      Optional<FaultKind> kind = FaultKind.named(entry.getKey());
      if (kind.isEmpty()) {
        return Optional.of("there is no fault named " + entry.getKey());
      }
      try {
        wanted.put(kind.get(), fault(entry.getValue()));
      } catch (IllegalArgumentException outOfRange) {
        return Optional.of(entry.getKey() + ": " + outOfRange.getMessage());
      }
    }
    if (document.path("seed").isIntegralNumber()) {
      faults.reseed(document.path("seed").longValue());
    }
    wanted.forEach(faults::set);
    return Optional.empty();
  }

  private static Fault fault(JsonNode value) {
    if (value.isNumber()) {
      return Fault.of(value.doubleValue());
    }
    double seconds = value.path("amount_s").asDouble(0);
    return new Fault(
        value.path("probability").asDouble(1),
        Duration.ofNanos(Math.round(seconds * 1e9)),
        Json.string(value, "on"),
        value.path("times").isInt()
            ? Optional.of(value.path("times").intValue())
            : Optional.empty());
  }

  static Map<String, Object> wire(Faults faults) {
    Map<FaultKind, Long> strikes = faults.strikes();
    Map<String, Object> wire = new LinkedHashMap<>();
    for (FaultKind kind : FaultKind.values()) {
      Fault fault = faults.get(kind);
      wire.put(
          kind.wireName(),
          Fields.of("probability", fault.probability())
              .put("amount_s", fault.amount().toMillis() / 1000.0)
              .put("on", fault.on())
              .put("times", fault.times())
              .put("strikes", strikes.getOrDefault(kind, 0L))
              .put("effect", kind.effect())
              .put("lasting", kind.lasting())
              .map());
    }
    return wire;
  }
}
