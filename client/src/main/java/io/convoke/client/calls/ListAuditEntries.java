package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.AuditEntryView;

/** What operators and keys changed, newest first. {@code GET /admin/audit}. */
public final class ListAuditEntries extends ListCall<AuditEntryView> {
  private ListAuditEntries(CallParts parts) {
    super(parts, AuditEntryView.class);
  }

  /** The call, with what it needs. */
  public static ListAuditEntries of() {
    return new ListAuditEntries(
        CallParts.repeatable("GET", "/admin/audit"));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListAuditEntries limit(long limit) {
    return new ListAuditEntries(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListAuditEntries cursor(String cursor) {
    return new ListAuditEntries(parts().query("cursor", cursor));
  }
}
