package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.SyncView;

/** Update a meeting's sync status. {@code POST /sync-status}. */
public final class UpdateSyncStatus extends ApiCall<SyncView> {
  private UpdateSyncStatus(CallParts parts) {
    super(parts, AnswerType.json(SyncView.class));
  }

  /** The call, with what it needs. */
  public static UpdateSyncStatus of(String meetingId, String status) {
    return new UpdateSyncStatus(
        CallParts.once("POST", "/sync-status")
            .member("meeting_id", meetingId)
            .member("status", status)
            .body());
  }

  /** {@code step}. */
  public UpdateSyncStatus step(String step) {
    return new UpdateSyncStatus(parts().member("step", step));
  }

  /** {@code job_id}. */
  public UpdateSyncStatus jobId(String jobId) {
    return new UpdateSyncStatus(parts().member("job_id", jobId));
  }

  /** {@code attempt}. */
  public UpdateSyncStatus attempt(long attempt) {
    return new UpdateSyncStatus(parts().member("attempt", attempt));
  }

  /** {@code seq}. */
  public UpdateSyncStatus seq(long seq) {
    return new UpdateSyncStatus(parts().member("seq", seq));
  }

  /** {@code error_message}. */
  public UpdateSyncStatus errorMessage(String errorMessage) {
    return new UpdateSyncStatus(parts().member("error_message", errorMessage));
  }

  /** {@code synced_by}. */
  public UpdateSyncStatus syncedBy(String syncedBy) {
    return new UpdateSyncStatus(parts().member("synced_by", syncedBy));
  }
}
