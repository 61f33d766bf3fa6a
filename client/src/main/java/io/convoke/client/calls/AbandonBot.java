package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.BotStatusReport;

/** End the row of a bot whose host is gone for good. {@code POST /bots/{meeting_id}/abandon}. */
public final class AbandonBot extends ApiCall<BotStatusReport> {
  private AbandonBot(CallParts parts) {
    super(parts, AnswerType.json(BotStatusReport.class));
  }

  /** The call, with what it needs. */
  public static AbandonBot of(long meetingId) {
    return new AbandonBot(
        CallParts.once("POST", "/bots/{meeting_id}/abandon")
            .path("meeting_id", meetingId));
  }
}
