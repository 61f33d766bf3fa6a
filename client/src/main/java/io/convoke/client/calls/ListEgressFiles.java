package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.EgressFile;

/** The files of an egress, by name. {@code GET /egress/{id}/files}. */
public final class ListEgressFiles extends ListCall<EgressFile> {
  private ListEgressFiles(CallParts parts) {
    super(parts, EgressFile.class);
  }

  /** The call, with what it needs. */
  public static ListEgressFiles of(String id) {
    return new ListEgressFiles(
        CallParts.repeatable("GET", "/egress/{id}/files")
            .path("id", id));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListEgressFiles limit(long limit) {
    return new ListEgressFiles(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListEgressFiles cursor(String cursor) {
    return new ListEgressFiles(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListEgressFiles userId(long userId) {
    return new ListEgressFiles(parts().query("user_id", userId));
  }
}
