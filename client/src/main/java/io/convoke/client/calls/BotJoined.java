package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** The bot was admitted to the meeting. {@code POST /callback/joined}. */
public final class BotJoined extends ApiCall<CallbackAnswer> {
  private BotJoined(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotJoined of(String connectionId) {
    return new BotJoined(
        CallParts.once("POST", "/callback/joined")
            .member("connection_id", connectionId)
            .body());
  }
}
