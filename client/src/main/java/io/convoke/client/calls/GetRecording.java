package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RecordingView;

/** A recording with its steps. {@code GET /recordings/{id}}. */
public final class GetRecording extends ApiCall<RecordingView> {
  private GetRecording(CallParts parts) {
    super(parts, AnswerType.json(RecordingView.class));
  }

  /** The call, with what it needs. */
  public static GetRecording of(String id) {
    return new GetRecording(
        CallParts.repeatable("GET", "/recordings/{id}")
            .path("id", id));
  }
}
