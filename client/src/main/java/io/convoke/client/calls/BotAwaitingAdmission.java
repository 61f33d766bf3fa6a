package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** The bot waits for admission to the meeting. {@code POST /callback/awaiting_admission}. */
public final class BotAwaitingAdmission extends ApiCall<CallbackAnswer> {
  private BotAwaitingAdmission(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotAwaitingAdmission of(String connectionId) {
    return new BotAwaitingAdmission(
        CallParts.once("POST", "/callback/awaiting_admission")
            .member("connection_id", connectionId)
            .body());
  }
}
