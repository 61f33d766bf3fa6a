package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot waits for admission to the meeting. As bots that an older server launched call it. {@code POST /bots/internal/callback/awaiting_admission}. */
public final class VexaBotAwaitingAdmissionByQuery extends ApiCall<VexaCallbackAnswer> {
  private VexaBotAwaitingAdmissionByQuery(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotAwaitingAdmissionByQuery of(String connectionId) {
    return new VexaBotAwaitingAdmissionByQuery(
        CallParts.once("POST", "/bots/internal/callback/awaiting_admission")
            .member("connection_id", connectionId)
            .body());
  }
}
