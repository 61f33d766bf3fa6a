package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot ends. {@code POST /bots/internal/callback/{token}/exited}. */
public final class VexaBotExited extends ApiCall<VexaCallbackAnswer> {
  private VexaBotExited(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotExited of(String token, String connectionId, long exitCode) {
    return new VexaBotExited(
        CallParts.once("POST", "/bots/internal/callback/{token}/exited")
            .path("token", token)
            .member("connection_id", connectionId)
            .member("exit_code", exitCode)
            .body());
  }

  /** {@code reason}. */
  public VexaBotExited reason(String reason) {
    return new VexaBotExited(parts().member("reason", reason));
  }

  /** {@code completion_reason}. */
  public VexaBotExited completionReason(String completionReason) {
    return new VexaBotExited(parts().member("completion_reason", completionReason));
  }
}
