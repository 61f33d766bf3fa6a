package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Come back from the identity provider: a code for a session cookie. {@code GET /session/oidc/callback}. */
public final class SignedInByOidc extends ApiCall<java.net.URI> {
  private SignedInByOidc(CallParts parts) {
    super(parts, AnswerType.address());
  }

  /** The call, with what it needs. */
  public static SignedInByOidc of() {
    return new SignedInByOidc(
        CallParts.repeatable("GET", "/session/oidc/callback"));
  }

  /** {@code code}: The provider's code for tokens. */
  public SignedInByOidc code(String code) {
    return new SignedInByOidc(parts().query("code", code));
  }

  /** {@code state}: What the server sent with the browser. */
  public SignedInByOidc state(String state) {
    return new SignedInByOidc(parts().query("state", state));
  }

  /** {@code iss}: The issuer that answers (RFC 9207). */
  public SignedInByOidc iss(String iss) {
    return new SignedInByOidc(parts().query("iss", iss));
  }

  /** {@code error}: Why there is no code. */
  public SignedInByOidc error(String error) {
    return new SignedInByOidc(parts().query("error", error));
  }
}
