package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot ends. As bots that an older server launched call it. {@code POST /bots/internal/callback/exited}. */
public final class VexaBotExitedByQuery extends ApiCall<VexaCallbackAnswer> {
  private VexaBotExitedByQuery(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotExitedByQuery of(String connectionId, long exitCode) {
    return new VexaBotExitedByQuery(
        CallParts.once("POST", "/bots/internal/callback/exited")
            .member("connection_id", connectionId)
            .member("exit_code", exitCode)
            .body());
  }

  /** {@code reason}. */
  public VexaBotExitedByQuery reason(String reason) {
    return new VexaBotExitedByQuery(parts().member("reason", reason));
  }

  /** {@code completion_reason}. */
  public VexaBotExitedByQuery completionReason(String completionReason) {
    return new VexaBotExitedByQuery(parts().member("completion_reason", completionReason));
  }
}
