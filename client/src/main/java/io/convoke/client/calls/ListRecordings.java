package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.RecordingView;

/** Recordings, newest first. {@code GET /recordings}. */
public final class ListRecordings extends ListCall<RecordingView> {
  private ListRecordings(CallParts parts) {
    super(parts, RecordingView.class);
  }

  /** The call, with what it needs. */
  public static ListRecordings of() {
    return new ListRecordings(
        CallParts.repeatable("GET", "/recordings"));
  }

  /** {@code status}: Only recordings of this status. */
  public ListRecordings status(String status) {
    return new ListRecordings(parts().query("status", status));
  }

  /** {@code meeting_id}: Only recordings of this meeting. */
  public ListRecordings meetingId(long meetingId) {
    return new ListRecordings(parts().query("meeting_id", meetingId));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListRecordings limit(long limit) {
    return new ListRecordings(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListRecordings cursor(String cursor) {
    return new ListRecordings(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListRecordings userId(long userId) {
    return new ListRecordings(parts().query("user_id", userId));
  }
}
