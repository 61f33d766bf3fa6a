package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CallbackAnswer;

/** The bot's process runs. {@code POST /callback/started}. */
public final class BotStarted extends ApiCall<CallbackAnswer> {
  private BotStarted(CallParts parts) {
    super(parts, AnswerType.json(CallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static BotStarted of(String connectionId, long meetingId) {
    return new BotStarted(
        CallParts.once("POST", "/callback/started")
            .member("connection_id", connectionId)
            .member("meeting_id", meetingId)
            .body());
  }

  /** {@code container_id}. */
  public BotStarted containerId(String containerId) {
    return new BotStarted(parts().member("container_id", containerId));
  }
}
