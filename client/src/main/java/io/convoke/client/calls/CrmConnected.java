package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** Come back from HubSpot: a code for tokens. {@code GET /crm/connection/callback}. */
public final class CrmConnected extends ApiCall<java.net.URI> {
  private CrmConnected(CallParts parts) {
    super(parts, AnswerType.address());
  }

  /** The call, with what it needs. */
  public static CrmConnected of() {
    return new CrmConnected(
        CallParts.repeatable("GET", "/crm/connection/callback"));
  }

  /** {@code code}: HubSpot's code for tokens. */
  public CrmConnected code(String code) {
    return new CrmConnected(parts().query("code", code));
  }

  /** {@code state}: What the server sent with the browser. */
  public CrmConnected state(String state) {
    return new CrmConnected(parts().query("state", state));
  }

  /** {@code error}: Why there is no code. */
  public CrmConnected error(String error) {
    return new CrmConnected(parts().query("error", error));
  }

  /** {@code error_description}: The error in words. */
  public CrmConnected errorDescription(String errorDescription) {
    return new CrmConnected(parts().query("error_description", errorDescription));
  }
}
