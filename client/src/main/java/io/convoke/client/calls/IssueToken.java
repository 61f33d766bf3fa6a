package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.IssuedApiToken;
import java.time.Instant;
import java.util.List;

/** Create an API token for a user; it is shown once. {@code POST /admin/users/{id}/tokens}. */
public final class IssueToken extends ApiCall<IssuedApiToken> {
  private IssueToken(CallParts parts) {
    super(parts, AnswerType.json(IssuedApiToken.class));
  }

  /** The call, with what it needs. */
  public static IssueToken of(long id) {
    return new IssueToken(
        CallParts.withKey("POST", "/admin/users/{id}/tokens")
            .path("id", id));
  }

  /** {@code name}. */
  public IssueToken name(String name) {
    return new IssueToken(parts().member("name", name));
  }

  /** {@code scopes}. */
  public IssueToken scopes(List<String> scopes) {
    return new IssueToken(parts().member("scopes", scopes));
  }

  /** {@code expires_at}. */
  public IssueToken expiresAt(Instant expiresAt) {
    return new IssueToken(parts().member("expires_at", expiresAt));
  }
}
