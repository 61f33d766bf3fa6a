package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RenamedSpeaker;

/** Rename a speaker in all segments of a meeting, also in those that follow. {@code PATCH /transcripts/{meeting_id}/speakers}. */
public final class RenameSpeaker extends ApiCall<RenamedSpeaker> {
  private RenameSpeaker(CallParts parts) {
    super(parts, AnswerType.json(RenamedSpeaker.class));
  }

  /** The call, with what it needs. */
  public static RenameSpeaker of(long meetingId, String from, String to) {
    return new RenameSpeaker(
        CallParts.once("PATCH", "/transcripts/{meeting_id}/speakers")
            .path("meeting_id", meetingId)
            .member("from", from)
            .member("to", to)
            .body());
  }
}
