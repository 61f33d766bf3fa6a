package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.EgressView;

/** What pods make of the meeting's room while it lasts, newest first. {@code GET /meetings/{id}/egress}. */
public final class ListEgressOfMeeting extends ListCall<EgressView> {
  private ListEgressOfMeeting(CallParts parts) {
    super(parts, EgressView.class);
  }

  /** The call, with what it needs. */
  public static ListEgressOfMeeting of(long id) {
    return new ListEgressOfMeeting(
        CallParts.repeatable("GET", "/meetings/{id}/egress")
            .path("id", id));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListEgressOfMeeting limit(long limit) {
    return new ListEgressOfMeeting(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListEgressOfMeeting cursor(String cursor) {
    return new ListEgressOfMeeting(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListEgressOfMeeting userId(long userId) {
    return new ListEgressOfMeeting(parts().query("user_id", userId));
  }
}
