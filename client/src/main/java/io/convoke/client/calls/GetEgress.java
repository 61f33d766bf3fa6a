package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.EgressView;

/** An egress. {@code GET /egress/{id}}. */
public final class GetEgress extends ApiCall<EgressView> {
  private GetEgress(CallParts parts) {
    super(parts, AnswerType.json(EgressView.class));
  }

  /** The call, with what it needs. */
  public static GetEgress of(String id) {
    return new GetEgress(
        CallParts.repeatable("GET", "/egress/{id}")
            .path("id", id));
  }
}
