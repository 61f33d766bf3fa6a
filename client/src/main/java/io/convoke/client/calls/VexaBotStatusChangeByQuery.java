package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Where Vexa's bot stands (releases 0.6 to 0.10). As bots that an older server launched call it. {@code POST /bots/internal/callback/status_change}. */
public final class VexaBotStatusChangeByQuery extends ApiCall<VexaCallbackAnswer> {
  private VexaBotStatusChangeByQuery(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotStatusChangeByQuery of(String connectionId, String status) {
    return new VexaBotStatusChangeByQuery(
        CallParts.once("POST", "/bots/internal/callback/status_change")
            .member("connection_id", connectionId)
            .member("status", status)
            .body());
  }

  /** {@code exit_code}. */
  public VexaBotStatusChangeByQuery exitCode(long exitCode) {
    return new VexaBotStatusChangeByQuery(parts().member("exit_code", exitCode));
  }

  /** {@code reason}. */
  public VexaBotStatusChangeByQuery reason(String reason) {
    return new VexaBotStatusChangeByQuery(parts().member("reason", reason));
  }

  /** {@code completion_reason}. */
  public VexaBotStatusChangeByQuery completionReason(String completionReason) {
    return new VexaBotStatusChangeByQuery(parts().member("completion_reason", completionReason));
  }
}
