package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotCommandGiven;

/** Let a bot write into the chat of its meeting. {@code POST /bots/{platform}/{native_meeting_id}/chat}. */
public final class ChatAsBot extends ApiCall<BotCommandGiven> {
  private ChatAsBot(CallParts parts) {
    super(parts, AnswerType.json(BotCommandGiven.class));
  }

  /** The call, with what it needs. */
  public static ChatAsBot of(String platform, String nativeMeetingId, String text) {
    return new ChatAsBot(
        CallParts.withKey("POST", "/bots/{platform}/{native_meeting_id}/chat")
            .path("platform", platform)
            .path("native_meeting_id", nativeMeetingId)
            .member("text", text)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ChatAsBot userId(long userId) {
    return new ChatAsBot(parts().query("user_id", userId));
  }
}
