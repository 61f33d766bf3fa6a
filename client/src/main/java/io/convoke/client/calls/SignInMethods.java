package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import java.util.Optional;

/** How people may sign in besides keys. {@code GET /session/methods}. */
public final class SignInMethods extends ApiCall<SignInMethods.SignInMethodsAnswer> {
  private SignInMethods(CallParts parts) {
    super(parts, AnswerType.json(SignInMethods.SignInMethodsAnswer.class));
  }

  /** The call, with what it needs. */
  public static SignInMethods of() {
    return new SignInMethods(
        CallParts.repeatable("GET", "/session/methods"));
  }

  /**
   * What is answered.
   *
   * @param oidc What people call the issuer of /session/oidc.
   */
  public record SignInMethodsAnswer(
      Optional<String> oidc) {}
}
