package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** The audio as downloaded from the platform, whole or a range. {@code GET /recordings/{id}/audio}. */
public final class GetRecordingAudio extends ApiCall<byte[]> {
  private GetRecordingAudio(CallParts parts) {
    super(parts, AnswerType.bytes());
  }

  /** The call, with what it needs. */
  public static GetRecordingAudio of(String id) {
    return new GetRecordingAudio(
        CallParts.repeatable("GET", "/recordings/{id}/audio")
            .path("id", id));
  }

  /** {@code Range}: One part of the file, such as bytes=0-65535. */
  public GetRecordingAudio range(String range) {
    return new GetRecordingAudio(parts().header("Range", range));
  }
}
