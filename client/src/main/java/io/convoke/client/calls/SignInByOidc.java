package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Go to the identity provider to sign in. {@code GET /session/oidc}. */
public final class SignInByOidc extends ApiCall<java.net.URI> {
  private SignInByOidc(CallParts parts) {
    super(parts, AnswerType.address());
  }

  /** The call, with what it needs. */
  public static SignInByOidc of() {
    return new SignInByOidc(
        CallParts.repeatable("GET", "/session/oidc"));
  }
}
