package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.TranscriptView;

/** The transcript of a meeting, also as WebVTT, SubRip, text or Markdown. {@code GET /transcripts/{meeting_id}}. */
public final class GetTranscript extends ApiCall<TranscriptView> {
  private GetTranscript(CallParts parts) {
    super(parts, AnswerType.json(TranscriptView.class));
  }

  /** The call, with what it needs. */
  public static GetTranscript of(long meetingId) {
    return new GetTranscript(
        CallParts.repeatable("GET", "/transcripts/{meeting_id}")
            .path("meeting_id", meetingId));
  }

  /** {@code format}: JSON or a document. */
  public GetTranscript format(String format) {
    return new GetTranscript(parts().query("format", format));
  }

  /** {@code session_uid}: Only this session. */
  public GetTranscript sessionUid(String sessionUid) {
    return new GetTranscript(parts().query("session_uid", sessionUid));
  }

  /** {@code words}: JSON: each segment with its words and their times, where known. */
  public GetTranscript words(boolean words) {
    return new GetTranscript(parts().query("words", words));
  }

  /** {@code limit}: Segments of a page at most. */
  public GetTranscript limit(long limit) {
    return new GetTranscript(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public GetTranscript cursor(String cursor) {
    return new GetTranscript(parts().query("cursor", cursor));
  }
}
