package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WaveformView;

/** How loud a recording is over time, and whether it has pictures. {@code GET /recordings/{id}/waveform}. */
public final class GetRecordingWaveform extends ApiCall<WaveformView> {
  private GetRecordingWaveform(CallParts parts) {
    super(parts, AnswerType.json(WaveformView.class));
  }

  /** The call, with what it needs. */
  public static GetRecordingWaveform of(String id) {
    return new GetRecordingWaveform(
        CallParts.repeatable("GET", "/recordings/{id}/waveform")
            .path("id", id));
  }
}
