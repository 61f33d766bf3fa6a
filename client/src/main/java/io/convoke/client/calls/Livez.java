package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Liveness of the process; checks no other component. {@code GET /livez}. */
public final class Livez extends ApiCall<Livez.LivezAnswer> {
  private Livez(CallParts parts) {
    super(parts, AnswerType.json(Livez.LivezAnswer.class));
  }

  /** The call, with what it needs. */
  public static Livez of() {
    return new Livez(
        CallParts.repeatable("GET", "/livez"));
  }

  /**
   * What is answered.
   *
   * @param status One of ok.
   */
  public record LivezAnswer(
      String status) {}
}
