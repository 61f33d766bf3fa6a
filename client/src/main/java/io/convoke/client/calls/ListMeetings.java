package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.Meeting;

/** Meetings, newest first. {@code GET /meetings}. */
public final class ListMeetings extends ListCall<Meeting> {
  private ListMeetings(CallParts parts) {
    super(parts, Meeting.class);
  }

  /** The call, with what it needs. */
  public static ListMeetings of() {
    return new ListMeetings(
        CallParts.repeatable("GET", "/meetings"));
  }

  /** {@code status}: Only meetings of this status. */
  public ListMeetings status(String status) {
    return new ListMeetings(parts().query("status", status));
  }

  /** {@code platform}: Only meetings of this platform. */
  public ListMeetings platform(String platform) {
    return new ListMeetings(parts().query("platform", platform));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListMeetings limit(long limit) {
    return new ListMeetings(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListMeetings cursor(String cursor) {
    return new ListMeetings(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListMeetings userId(long userId) {
    return new ListMeetings(parts().query("user_id", userId));
  }
}
