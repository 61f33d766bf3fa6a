package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.BotStatusReport;

/** The status of bots, with the owner and the deadline of each state. {@code GET /bots/status}. */
public final class BotStatuses extends ListCall<BotStatusReport> {
  private BotStatuses(CallParts parts) {
    super(parts, BotStatusReport.class);
  }

  /** The call, with what it needs. */
  public static BotStatuses of() {
    return new BotStatuses(
        CallParts.repeatable("GET", "/bots/status"));
  }

  /** {@code meeting_id}: The meeting of the one bot. */
  public BotStatuses meetingId(long meetingId) {
    return new BotStatuses(parts().query("meeting_id", meetingId));
  }

  /** {@code platform}: With native_meeting_id: the one bot. */
  public BotStatuses platform(String platform) {
    return new BotStatuses(parts().query("platform", platform));
  }

  /** {@code native_meeting_id}: With platform: the one bot. */
  public BotStatuses nativeMeetingId(String nativeMeetingId) {
    return new BotStatuses(parts().query("native_meeting_id", nativeMeetingId));
  }

  /** {@code live}: The bots of the list that have not ended. */
  public BotStatuses live(boolean live) {
    return new BotStatuses(parts().query("live", live));
  }

  /** {@code limit}: Entries of a page at most. */
  public BotStatuses limit(long limit) {
    return new BotStatuses(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public BotStatuses cursor(String cursor) {
    return new BotStatuses(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public BotStatuses userId(long userId) {
    return new BotStatuses(parts().query("user_id", userId));
  }
}
