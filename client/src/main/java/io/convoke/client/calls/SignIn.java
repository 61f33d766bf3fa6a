package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SignedIn;

/** Sign in: exchange one credential for a cookie. {@code POST /session}. */
public final class SignIn extends ApiCall<SignedIn> {
  private SignIn(CallParts parts) {
    super(parts, AnswerType.json(SignedIn.class));
  }

  /** The call, with what it needs. */
  public static SignIn of() {
    return new SignIn(
        CallParts.once("POST", "/session")
            .body());
  }

  /** {@code X-Convoke-CSRF}: Marks a request of the console; other sites cannot set it. */
  public SignIn xConvokeCSRF(String xConvokeCSRF) {
    return new SignIn(parts().header("X-Convoke-CSRF", xConvokeCSRF));
  }

  /** {@code api_key}. */
  public SignIn apiKey(String apiKey) {
    return new SignIn(parts().member("api_key", apiKey));
  }

  /** {@code admin_key}. */
  public SignIn adminKey(String adminKey) {
    return new SignIn(parts().member("admin_key", adminKey));
  }

  /** {@code jwt}. */
  public SignIn jwt(String jwt) {
    return new SignIn(parts().member("jwt", jwt));
  }
}
