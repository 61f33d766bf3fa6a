package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Forget the tokens of the connected account. {@code DELETE /crm/connection}. */
public final class DisconnectCrm extends ApiCall<JsonNode> {
  private DisconnectCrm(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static DisconnectCrm of() {
    return new DisconnectCrm(
        CallParts.repeatable("DELETE", "/crm/connection"));
  }

  /** {@code user_id}: For admins: whose it is. */
  public DisconnectCrm userId(long userId) {
    return new DisconnectCrm(parts().query("user_id", userId));
  }
}
