package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.CrmConnection;

/** The HubSpot account that the user connected. {@code GET /crm/connection}. */
public final class CrmConnectionCall extends ApiCall<CrmConnection> {
  private CrmConnectionCall(CallParts parts) {
    super(parts, AnswerType.json(CrmConnection.class));
  }

  /** The call, with what it needs. */
  public static CrmConnectionCall of() {
    return new CrmConnectionCall(
        CallParts.repeatable("GET", "/crm/connection"));
  }

  /** {@code user_id}: For admins: whose it is. */
  public CrmConnectionCall userId(long userId) {
    return new CrmConnectionCall(parts().query("user_id", userId));
  }
}
