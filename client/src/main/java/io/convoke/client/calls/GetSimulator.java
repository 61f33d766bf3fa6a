package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SimulationView;

/** The attached simulator's scenario and faults. {@code GET /simulator}. */
public final class GetSimulator extends ApiCall<SimulationView> {
  private GetSimulator(CallParts parts) {
    super(parts, AnswerType.json(SimulationView.class));
  }

  /** The call, with what it needs. */
  public static GetSimulator of() {
    return new GetSimulator(
        CallParts.repeatable("GET", "/simulator"));
  }
}
