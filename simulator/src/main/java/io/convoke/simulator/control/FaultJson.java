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
    JsonNode seed = document.path("seed");
    if (!seed.isMissingNode() && !(seed.isIntegralNumber() && seed.canConvertToLong())) {
      return Optional.of("seed must be an integer");
    }
    if (!seed.isMissingNode()) {
      faultSwitches.reseed(seed.longValue());
    }
    wanted.forEach(faultSwitches::set);
    return Optional.empty();
  }

  private static FaultSetting fault(JsonNode value) {
    if (value.isNumber()) {
      return FaultSetting.of(value.doubleValue());
    }
    JsonNode probability = value.path("probability");
    JsonNode seconds = value.path("amount_s");
    JsonNode on = value.path("on");
    JsonNode times = value.path("times");
    require(value.isObject(), "a probability or an object is needed");
    require(probability.isNumber() || probability.isMissingNode(), "probability is no number");
    require(seconds.isNumber() || seconds.isMissingNode(), "amount_s is no number");
    require(on.isString() || absent(on), "on is no string");
    require(times.isInt() || absent(times), "times is no integer");
    return new FaultSetting(
        probability.isNumber() ? probability.doubleValue() : 1,
        Duration.ofNanos(Math.round(seconds.isNumber() ? seconds.doubleValue() * 1e9 : 0)),
        SimJson.string(value, "on"),
        times.isInt() ? Optional.of(times.intValue()) : Optional.empty());
  }

  private static boolean absent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
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
