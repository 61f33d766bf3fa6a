package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.VexaCallbackAnswer;

/** Vexa's bot was admitted (release 0.5). As bots that an older server launched call it. {@code POST /bots/internal/callback/started}. */
public final class VexaBotStartedByQuery extends ApiCall<VexaCallbackAnswer> {
  private VexaBotStartedByQuery(CallParts parts) {
    super(parts, AnswerType.json(VexaCallbackAnswer.class));
  }

  /** The call, with what it needs. */
  public static VexaBotStartedByQuery of(String connectionId) {
    return new VexaBotStartedByQuery(
        CallParts.once("POST", "/bots/internal/callback/started")
            .member("connection_id", connectionId)
            .body());
  }
}
