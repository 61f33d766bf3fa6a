package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;

/** The WAV file of a command speak with audio_bytes, until it is acknowledged. {@code GET /callback/speech/{command_id}}. */
public final class BotSpeech extends ApiCall<byte[]> {
  private BotSpeech(CallParts parts) {
    super(parts, AnswerType.bytes());
  }

  /** The call, with what it needs. */
  public static BotSpeech of(String commandId) {
    return new BotSpeech(
        CallParts.repeatable("GET", "/callback/speech/{command_id}")
            .path("command_id", commandId));
  }
}
