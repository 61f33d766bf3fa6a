package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SignedIn;

/** The authenticated caller. {@code GET /session}. */
public final class WhoAmI extends ApiCall<SignedIn> {
  private WhoAmI(CallParts parts) {
    super(parts, AnswerType.json(SignedIn.class));
  }

  /** The call, with what it needs. */
  public static WhoAmI of() {
    return new WhoAmI(
        CallParts.repeatable("GET", "/session"));
  }
}
