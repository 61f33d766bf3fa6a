package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RecordingView;

/** Assign a recording to a meeting. {@code POST /recordings/{id}/match}. */
public final class MatchRecording extends ApiCall<RecordingView> {
  private MatchRecording(CallParts parts) {
    super(parts, AnswerType.json(RecordingView.class));
  }

  /** The call, with what it needs. */
  public static MatchRecording of(String id, long meetingId) {
    return new MatchRecording(
        CallParts.once("POST", "/recordings/{id}/match")
            .path("id", id)
            .member("meeting_id", meetingId)
            .body());
  }
}
