package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot is about to open the meeting. As bots that an older server launched call it. {@code POST /bots/internal/callback/joining}. */
public final class VexaBotJoiningByQuery extends ApiCall<VexaCallbackAnswer> {
  private VexaBotJoiningByQuery(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotJoiningByQuery of(String connectionId) {
    return new VexaBotJoiningByQuery(
        CallParts.once("POST", "/bots/internal/callback/joining")
            .member("connection_id", connectionId)
            .body());
  }
}
