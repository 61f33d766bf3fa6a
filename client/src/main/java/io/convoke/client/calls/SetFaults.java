package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SimulationView;
import tools.jackson.databind.JsonNode;

/** Set some faults: a probability, or an object; others stay as they are. {@code PATCH /simulator/faults}. */
public final class SetFaults extends ApiCall<SimulationView> {
  private SetFaults(CallParts parts) {
    super(parts, AnswerType.json(SimulationView.class));
  }

  /** The call, with what it needs. */
  public static SetFaults of(JsonNode body) {
    return new SetFaults(
        CallParts.once("PATCH", "/simulator/faults")
            .body(body));
  }
}
