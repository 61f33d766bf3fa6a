package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Sign out: clear the cookie. {@code DELETE /session}. */
public final class SignOut extends ApiCall<JsonNode> {
  private SignOut(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static SignOut of() {
    return new SignOut(
        CallParts.repeatable("DELETE", "/session"));
  }

  /** {@code X-Convoke-CSRF}: Marks a request of the console; other sites cannot set it. */
  public SignOut xConvokeCSRF(String xConvokeCSRF) {
    return new SignOut(parts().header("X-Convoke-CSRF", xConvokeCSRF));
  }
}
