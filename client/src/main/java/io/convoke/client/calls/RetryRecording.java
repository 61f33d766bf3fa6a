package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.RecordingView;

/** Retry a recording, from a step or from where it stopped. {@code POST /recordings/{id}/retry}. */
public final class RetryRecording extends ApiCall<RecordingView> {
  private RetryRecording(CallParts parts) {
    super(parts, AnswerType.json(RecordingView.class));
  }

  /** The call, with what it needs. */
  public static RetryRecording of(String id) {
    return new RetryRecording(
        CallParts.once("POST", "/recordings/{id}/retry")
            .path("id", id));
  }

  /** {@code step}: One of download, transcribe, prepare, transform, push. */
  public RetryRecording step(String step) {
    return new RetryRecording(parts().member("step", step));
  }
}
