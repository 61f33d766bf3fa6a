package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.TranscriptChange;

/** What people changed in a transcript, newest first. {@code GET /transcripts/{meeting_id}/changes}. */
public final class ListTranscriptChanges extends ListCall<TranscriptChange> {
  private ListTranscriptChanges(CallParts parts) {
    super(parts, TranscriptChange.class);
  }

  /** The call, with what it needs. */
  public static ListTranscriptChanges of(long meetingId) {
    return new ListTranscriptChanges(
        CallParts.repeatable("GET", "/transcripts/{meeting_id}/changes")
            .path("meeting_id", meetingId));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListTranscriptChanges limit(long limit) {
    return new ListTranscriptChanges(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListTranscriptChanges cursor(String cursor) {
    return new ListTranscriptChanges(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListTranscriptChanges userId(long userId) {
    return new ListTranscriptChanges(parts().query("user_id", userId));
  }
}
