package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotStatusReport;
import java.time.Instant;

/** Move the start of a bot that waits for its start_at. {@code PUT /bots/schedule}. */
public final class RescheduleBot extends ApiCall<BotStatusReport> {
  private RescheduleBot(CallParts parts) {
    super(parts, AnswerType.json(BotStatusReport.class));
  }

  /** The call, with what it needs. */
  public static RescheduleBot of(Instant startAt) {
    return new RescheduleBot(
        CallParts.repeatable("PUT", "/bots/schedule")
            .member("start_at", startAt)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for. */
  public RescheduleBot userId(long userId) {
    return new RescheduleBot(parts().query("user_id", userId));
  }

  /** {@code meeting_id}. */
  public RescheduleBot meetingId(long meetingId) {
    return new RescheduleBot(parts().member("meeting_id", meetingId));
  }

  /** {@code platform}: One of daily, janus, google_meet, zoom, teams. */
  public RescheduleBot platform(String platform) {
    return new RescheduleBot(parts().member("platform", platform));
  }

  /** {@code native_meeting_id}. */
  public RescheduleBot nativeMeetingId(String nativeMeetingId) {
    return new RescheduleBot(parts().member("native_meeting_id", nativeMeetingId));
  }

  /** {@code platform_specific_id}. */
  public RescheduleBot platformSpecificId(String platformSpecificId) {
    return new RescheduleBot(parts().member("platform_specific_id", platformSpecificId));
  }
}
