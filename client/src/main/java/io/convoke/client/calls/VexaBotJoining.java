package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot is about to open the meeting. {@code POST /bots/internal/callback/{token}/joining}. */
public final class VexaBotJoining extends ApiCall<VexaCallbackAnswer> {
  private VexaBotJoining(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotJoining of(String token, String connectionId) {
    return new VexaBotJoining(
        CallParts.once("POST", "/bots/internal/callback/{token}/joining")
            .path("token", token)
            .member("connection_id", connectionId)
            .body());
  }
}
