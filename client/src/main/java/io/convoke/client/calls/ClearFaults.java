package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SimulationView;

/** Set every fault to never. {@code DELETE /simulator/faults}. */
public final class ClearFaults extends ApiCall<SimulationView> {
  private ClearFaults(CallParts parts) {
    super(parts, AnswerType.json(SimulationView.class));
  }

  /** The call, with what it needs. */
  public static ClearFaults of() {
    return new ClearFaults(
        CallParts.repeatable("DELETE", "/simulator/faults"));
  }
}
