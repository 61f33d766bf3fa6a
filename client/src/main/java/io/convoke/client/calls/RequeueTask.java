package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.DeadLetterResult;

/** Requeue a FAILED or TIMEOUT task as a new task. {@code POST /tasks/{id}/requeue}. */
public final class RequeueTask extends ApiCall<DeadLetterResult> {
  private RequeueTask(CallParts parts) {
    super(parts, AnswerType.json(DeadLetterResult.class));
  }

  /** The call, with what it needs. */
  public static RequeueTask of(String id) {
    return new RequeueTask(
        CallParts.withKey("POST", "/tasks/{id}/requeue")
            .path("id", id));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public RequeueTask userId(long userId) {
    return new RequeueTask(parts().query("user_id", userId));
  }

  /** {@code dry_run}. */
  public RequeueTask dryRun(boolean dryRun) {
    return new RequeueTask(parts().member("dry_run", dryRun));
  }
}
