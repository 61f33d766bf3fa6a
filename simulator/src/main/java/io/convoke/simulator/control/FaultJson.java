package io.convoke.simulator.control;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimJson;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Fault switches as JSON: a probability alone, or an object with all that can be set. */
final class FaultJson {

  private FaultJson() {}

  /** Sets the faults of the document; returns an error and sets none if it is invalid. */
  static Optional<String> apply(JsonNode document, FaultSwitches faultSwitches) {
    Map<FaultKind, FaultSetting> wanted = new EnumMap<>(FaultKind.class);
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
      faultSwitches.reseed(document.path("seed").longValue());
    }
    wanted.forEach(faultSwitches::set);
    return Optional.empty();
  }

  private static FaultSetting fault(JsonNode value) {
    if (value.isNumber()) {
      return FaultSetting.of(value.doubleValue());
    }
    double seconds = value.path("amount_s").asDouble(0);
    return new FaultSetting(
        value.path("probability").asDouble(1),
        Duration.ofNanos(Math.round(seconds * 1e9)),
        SimJson.string(value, "on"),
        value.path("times").isInt()
            ? Optional.of(value.path("times").intValue())
            : Optional.empty());
  }

  static Map<String, Object> wire(FaultSwitches faultSwitches) {
    Map<FaultKind, Long> strikes = faultSwitches.strikes();
    Map<String, Object> wire = new LinkedHashMap<>();
    for (FaultKind kind : FaultKind.values()) {
      FaultSetting faultSetting = faultSwitches.get(kind);
      wire.put(
          kind.wireName(),
          JsonObjectBuilder.of("probability", faultSetting.probability())
              .put("amount_s", faultSetting.amount().toMillis() / 1000.0)
              .put("on", faultSetting.on())
              .put("times", faultSetting.times())
              .put("strikes", strikes.getOrDefault(kind, 0L))
              .put("effect", kind.effect())
              .put("lasting", kind.lasting())
              .map());
    }
    return wire;
  }
}
