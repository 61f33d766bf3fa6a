package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.MeetingHistoryEntry;

/** The events of a meeting in order, without transcript segments. {@code GET /meetings/{id}/timeline}. */
public final class MeetingTimeline extends ListCall<MeetingHistoryEntry> {
  private MeetingTimeline(CallParts parts) {
    super(parts, MeetingHistoryEntry.class);
  }

  /** The call, with what it needs. */
  public static MeetingTimeline of(long id) {
    return new MeetingTimeline(
        CallParts.repeatable("GET", "/meetings/{id}/timeline")
            .path("id", id));
  }

  /** {@code order}: oldest unless set. */
  public MeetingTimeline order(String order) {
    return new MeetingTimeline(parts().query("order", order));
  }

  /** {@code limit}: Entries of a page at most. */
  public MeetingTimeline limit(long limit) {
    return new MeetingTimeline(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public MeetingTimeline cursor(String cursor) {
    return new MeetingTimeline(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public MeetingTimeline userId(long userId) {
    return new MeetingTimeline(parts().query("user_id", userId));
  }
}
