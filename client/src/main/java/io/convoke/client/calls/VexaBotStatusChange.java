package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Where Vexa's bot stands (releases 0.6 to 0.10). {@code POST /bots/internal/callback/{token}/status_change}. */
public final class VexaBotStatusChange extends ApiCall<VexaCallbackAnswer> {
  private VexaBotStatusChange(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotStatusChange of(String token, String connectionId, String status) {
    return new VexaBotStatusChange(
        CallParts.once("POST", "/bots/internal/callback/{token}/status_change")
            .path("token", token)
            .member("connection_id", connectionId)
            .member("status", status)
            .body());
  }

  /** {@code exit_code}. */
  public VexaBotStatusChange exitCode(long exitCode) {
    return new VexaBotStatusChange(parts().member("exit_code", exitCode));
  }

  /** {@code reason}. */
  public VexaBotStatusChange reason(String reason) {
    return new VexaBotStatusChange(parts().member("reason", reason));
  }

  /** {@code completion_reason}. */
  public VexaBotStatusChange completionReason(String completionReason) {
    return new VexaBotStatusChange(parts().member("completion_reason", completionReason));
  }
}
