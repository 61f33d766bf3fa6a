package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotUploadAnswer;

/** A bot uploads its recording, or a part of it. {@code POST /bots/internal/recordings}. */
public final class UploadBotRecording extends ApiCall<BotUploadAnswer> {
  private UploadBotRecording(CallParts parts) {
    super(parts, AnswerType.json(BotUploadAnswer.class));
  }

  /** The call, with what it needs. */
  public static UploadBotRecording of(String contentType, byte[] body) {
    return new UploadBotRecording(
        CallParts.once("POST", "/bots/internal/recordings")
            .bytes(contentType, body));
  }
}
