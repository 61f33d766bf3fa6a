package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import tools.jackson.databind.JsonNode;

/** Revoke an API token. Idempotent. {@code DELETE /admin/tokens/{id}}. */
public final class RevokeToken extends ApiCall<JsonNode> {
  private RevokeToken(CallParts parts) {
    super(parts, AnswerType.nothing());
  }

  /** The call, with what it needs. */
  public static RevokeToken of(long id) {
    return new RevokeToken(
        CallParts.repeatable("DELETE", "/admin/tokens/{id}")
            .path("id", id));
  }
}
