package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Where Vexa's bot stands (from release 0.12 on). {@code POST /bots/internal/lifecycle}. */
public final class VexaBotLifecycle extends ApiCall<VexaCallbackAnswer> {
  private VexaBotLifecycle(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotLifecycle of(String connectionId, String status) {
    return new VexaBotLifecycle(
        CallParts.once("POST", "/bots/internal/lifecycle")
            .member("connection_id", connectionId)
            .member("status", status)
            .body());
  }

  /** {@code exit_code}. */
  public VexaBotLifecycle exitCode(long exitCode) {
    return new VexaBotLifecycle(parts().member("exit_code", exitCode));
  }

  /** {@code reason}. */
  public VexaBotLifecycle reason(String reason) {
    return new VexaBotLifecycle(parts().member("reason", reason));
  }

  /** {@code completion_reason}. */
  public VexaBotLifecycle completionReason(String completionReason) {
    return new VexaBotLifecycle(parts().member("completion_reason", completionReason));
  }
}
