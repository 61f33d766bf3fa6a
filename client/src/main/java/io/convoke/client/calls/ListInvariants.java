package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.InvariantReport;

/** Invariants, checked against the simulator's state. {@code GET /simulator/invariants}. */
public final class ListInvariants extends ApiCall<InvariantReport> {
  private ListInvariants(CallParts parts) {
    super(parts, AnswerType.json(InvariantReport.class));
  }

  /** The call, with what it needs. */
  public static ListInvariants of() {
    return new ListInvariants(
        CallParts.repeatable("GET", "/simulator/invariants"));
  }
}
