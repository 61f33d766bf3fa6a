package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SyncView;

/** Dismiss a failed or stalled sync. {@code POST /sync-status/{meeting_id}/dismiss}. */
public final class DismissSyncProblem extends ApiCall<SyncView> {
  private DismissSyncProblem(CallParts parts) {
    super(parts, AnswerType.json(SyncView.class));
  }

  /** The call, with what it needs. */
  public static DismissSyncProblem of(String meetingId, long version) {
    return new DismissSyncProblem(
        CallParts.once("POST", "/sync-status/{meeting_id}/dismiss")
            .path("meeting_id", meetingId)
            .member("version", version)
            .body());
  }
}
