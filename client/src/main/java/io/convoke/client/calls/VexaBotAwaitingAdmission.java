package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot waits for admission to the meeting. {@code POST /bots/internal/callback/{token}/awaiting_admission}. */
public final class VexaBotAwaitingAdmission extends ApiCall<VexaCallbackAnswer> {
  private VexaBotAwaitingAdmission(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotAwaitingAdmission of(String token, String connectionId) {
    return new VexaBotAwaitingAdmission(
        CallParts.once("POST", "/bots/internal/callback/{token}/awaiting_admission")
            .path("token", token)
            .member("connection_id", connectionId)
            .body());
  }
}
