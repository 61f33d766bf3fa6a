package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotStatusReport;

/** Ask a bot to leave. A bot that has ended is unchanged. {@code POST /bots/stop}. */
public final class StopBot extends ApiCall<BotStatusReport> {
  private StopBot(CallParts parts) {
    super(parts, AnswerType.json(BotStatusReport.class));
  }

  /** The call, with what it needs. */
  public static StopBot of() {
    return new StopBot(
        CallParts.repeatable("POST", "/bots/stop")
            .body());
  }

  /** {@code user_id}: For admins: the user to act for. */
  public StopBot userId(long userId) {
    return new StopBot(parts().query("user_id", userId));
  }

  /** {@code meeting_id}. */
  public StopBot meetingId(long meetingId) {
    return new StopBot(parts().member("meeting_id", meetingId));
  }

  /** {@code platform}: One of daily, janus, google_meet, zoom, teams. */
  public StopBot platform(String platform) {
    return new StopBot(parts().member("platform", platform));
  }

  /** {@code native_meeting_id}. */
  public StopBot nativeMeetingId(String nativeMeetingId) {
    return new StopBot(parts().member("native_meeting_id", nativeMeetingId));
  }

  /** {@code platform_specific_id}. */
  public StopBot platformSpecificId(String platformSpecificId) {
    return new StopBot(parts().member("platform_specific_id", platformSpecificId));
  }

  /** {@code kill}. */
  public StopBot kill(boolean kill) {
    return new StopBot(parts().member("kill", kill));
  }
}
