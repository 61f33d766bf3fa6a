package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.SyncView;

/** Failed and stalled syncs, newest first. {@code GET /sync-status/problems}. */
public final class ListSyncProblems extends ListCall<SyncView> {
  private ListSyncProblems(CallParts parts) {
    super(parts, SyncView.class);
  }

  /** The call, with what it needs. */
  public static ListSyncProblems of() {
    return new ListSyncProblems(
        CallParts.repeatable("GET", "/sync-status/problems"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListSyncProblems limit(long limit) {
    return new ListSyncProblems(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListSyncProblems cursor(String cursor) {
    return new ListSyncProblems(parts().query("cursor", cursor));
  }
}
