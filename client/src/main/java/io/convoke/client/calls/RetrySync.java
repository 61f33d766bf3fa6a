package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SyncView;

/** Retry a failed or stalled sync. {@code POST /sync-status/{meeting_id}/retry}. */
public final class RetrySync extends ApiCall<SyncView> {
  private RetrySync(CallParts parts) {
    super(parts, AnswerType.json(SyncView.class));
  }

  /** The call, with what it needs. */
  public static RetrySync of(String meetingId) {
    return new RetrySync(
        CallParts.once("POST", "/sync-status/{meeting_id}/retry")
            .path("meeting_id", meetingId));
  }
}
