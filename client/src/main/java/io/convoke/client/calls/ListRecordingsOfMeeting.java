package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.RecordingView;

/** Recordings of a meeting, newest first. {@code GET /meetings/{id}/recordings}. */
public final class ListRecordingsOfMeeting extends ListCall<RecordingView> {
  private ListRecordingsOfMeeting(CallParts parts) {
    super(parts, RecordingView.class);
  }

  /** The call, with what it needs. */
  public static ListRecordingsOfMeeting of(long id) {
    return new ListRecordingsOfMeeting(
        CallParts.repeatable("GET", "/meetings/{id}/recordings")
            .path("id", id));
  }

  /** {@code status}: Only recordings of this status. */
  public ListRecordingsOfMeeting status(String status) {
    return new ListRecordingsOfMeeting(parts().query("status", status));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListRecordingsOfMeeting limit(long limit) {
    return new ListRecordingsOfMeeting(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListRecordingsOfMeeting cursor(String cursor) {
    return new ListRecordingsOfMeeting(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListRecordingsOfMeeting userId(long userId) {
    return new ListRecordingsOfMeeting(parts().query("user_id", userId));
  }
}
