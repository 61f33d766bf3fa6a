package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot was admitted (release 0.5). {@code POST /bots/internal/callback/{token}/started}. */
public final class VexaBotStarted extends ApiCall<VexaCallbackAnswer> {
  private VexaBotStarted(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotStarted of(String token, String connectionId) {
    return new VexaBotStarted(
        CallParts.once("POST", "/bots/internal/callback/{token}/started")
            .path("token", token)
            .member("connection_id", connectionId)
            .body());
  }
}
