package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotCommandGiven;

/** Let a bot say something in its meeting. {@code POST /bots/{platform}/{native_meeting_id}/speak}. */
public final class SpeakAsBot extends ApiCall<BotCommandGiven> {
  private SpeakAsBot(CallParts parts) {
    super(parts, AnswerType.json(BotCommandGiven.class));
  }

  /** The call, with what it needs. */
  public static SpeakAsBot of(String platform, String nativeMeetingId) {
    return new SpeakAsBot(
        CallParts.withKey("POST", "/bots/{platform}/{native_meeting_id}/speak")
            .path("platform", platform)
            .path("native_meeting_id", nativeMeetingId)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public SpeakAsBot userId(long userId) {
    return new SpeakAsBot(parts().query("user_id", userId));
  }

  /** {@code text}. */
  public SpeakAsBot text(String text) {
    return new SpeakAsBot(parts().member("text", text));
  }

  /** {@code voice}: A voice of the bot's synthesizer. */
  public SpeakAsBot voice(String voice) {
    return new SpeakAsBot(parts().member("voice", voice));
  }

  /** {@code audio_base64}. */
  public SpeakAsBot audioBase64(String audioBase64) {
    return new SpeakAsBot(parts().member("audio_base64", audioBase64));
  }
}
