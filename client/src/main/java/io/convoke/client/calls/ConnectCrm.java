package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Begin to connect a HubSpot account. {@code POST /crm/connection}. */
public final class ConnectCrm extends ApiCall<ConnectCrm.ConnectCrmAnswer> {
  private ConnectCrm(CallParts parts) {
    super(parts, AnswerType.json(ConnectCrm.ConnectCrmAnswer.class));
  }

  /** The call, with what it needs. */
  public static ConnectCrm of() {
    return new ConnectCrm(
        CallParts.once("POST", "/crm/connection"));
  }

  /** {@code user_id}: For admins: whose it is. */
  public ConnectCrm userId(long userId) {
    return new ConnectCrm(parts().query("user_id", userId));
  }

  /** What is answered. */
  public record ConnectCrmAnswer(
      String authorizeUrl) {}
}
