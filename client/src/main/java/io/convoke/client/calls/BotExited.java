package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** The bot exits; its last call. {@code POST /callback/exited}. */
public final class BotExited extends ApiCall<CallbackAnswer> {
  private BotExited(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotExited of(String connectionId, long exitCode) {
    return new BotExited(
        CallParts.once("POST", "/callback/exited")
            .member("connection_id", connectionId)
            .member("exit_code", exitCode)
            .body());
  }

  /** {@code reason}. */
  public BotExited reason(String reason) {
    return new BotExited(parts().member("reason", reason));
  }
}
