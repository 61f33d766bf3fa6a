package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** The bot has begun to leave. {@code PATCH /callback/status}. */
public final class BotStatus extends ApiCall<CallbackAnswer> {
  private BotStatus(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotStatus of(String connectionId, String status) {
    return new BotStatus(
        CallParts.once("PATCH", "/callback/status")
            .member("connection_id", connectionId)
            .member("status", status)
            .body());
  }

  /** {@code reason}. */
  public BotStatus reason(String reason) {
    return new BotStatus(parts().member("reason", reason));
  }

  /** {@code reason} is null. */
  public BotStatus withoutReason() {
    return new BotStatus(parts().noMember("reason"));
  }
}
