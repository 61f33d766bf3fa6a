package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.ApiToken;

/** A user's API tokens without their secrets, newest first, revoked ones too. {@code GET /admin/users/{id}/tokens}. */
public final class ListTokens extends ListCall<ApiToken> {
  private ListTokens(CallParts parts) {
    super(parts, ApiToken.class);
  }

  /** The call, with what it needs. */
  public static ListTokens of(long id) {
    return new ListTokens(
        CallParts.repeatable("GET", "/admin/users/{id}/tokens")
            .path("id", id));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListTokens limit(long limit) {
    return new ListTokens(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListTokens cursor(String cursor) {
    return new ListTokens(parts().query("cursor", cursor));
  }
}
