package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.SearchHit;

/** Search what was said in all meetings. {@code GET /search}. */
public final class SearchTranscripts extends ListCall<SearchHit> {
  private SearchTranscripts(CallParts parts) {
    super(parts, SearchHit.class);
  }

  /** The call, with what it needs. */
  public static SearchTranscripts of(String q) {
    return new SearchTranscripts(
        CallParts.repeatable("GET", "/search")
            .query("q", q));
  }

  /** {@code limit}: Entries of a page at most. */
  public SearchTranscripts limit(long limit) {
    return new SearchTranscripts(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public SearchTranscripts cursor(String cursor) {
    return new SearchTranscripts(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public SearchTranscripts userId(long userId) {
    return new SearchTranscripts(parts().query("user_id", userId));
  }
}
