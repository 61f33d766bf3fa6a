package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Segment;

/** Correct the text or the speaker of a completed segment. {@code PATCH /transcripts/{meeting_id}/segments/{segment_id}}. */
public final class CorrectSegment extends ApiCall<Segment> {
  private CorrectSegment(CallParts parts) {
    super(parts, AnswerType.json(Segment.class));
  }

  /** The call, with what it needs. */
  public static CorrectSegment of(long meetingId, long segmentId) {
    return new CorrectSegment(
        CallParts.once("PATCH", "/transcripts/{meeting_id}/segments/{segment_id}")
            .path("meeting_id", meetingId)
            .path("segment_id", segmentId)
            .body());
  }

  /** {@code text}. */
  public CorrectSegment text(String text) {
    return new CorrectSegment(parts().member("text", text));
  }

  /** {@code text} is null. */
  public CorrectSegment withoutText() {
    return new CorrectSegment(parts().noMember("text"));
  }

  /** {@code speaker}. */
  public CorrectSegment speaker(String speaker) {
    return new CorrectSegment(parts().member("speaker", speaker));
  }

  /** {@code speaker} is null. */
  public CorrectSegment withoutSpeaker() {
    return new CorrectSegment(parts().noMember("speaker"));
  }
}
