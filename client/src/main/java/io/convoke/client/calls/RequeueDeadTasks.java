package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.DeadLetterResults;
import java.util.List;

/** Requeue dead letters: the given ones, or the newest that match. {@code POST /dead-letters/tasks/requeue}. */
public final class RequeueDeadTasks extends ApiCall<DeadLetterResults> {
  private RequeueDeadTasks(CallParts parts) {
    super(parts, AnswerType.json(DeadLetterResults.class));
  }

  /** The call, with what it needs. */
  public static RequeueDeadTasks of() {
    return new RequeueDeadTasks(
        CallParts.withKey("POST", "/dead-letters/tasks/requeue")
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public RequeueDeadTasks userId(long userId) {
    return new RequeueDeadTasks(parts().query("user_id", userId));
  }

  /** {@code ids}. */
  public RequeueDeadTasks ids(List<String> ids) {
    return new RequeueDeadTasks(parts().member("ids", ids));
  }

  /** {@code state}: One of FAILED, TIMEOUT. */
  public RequeueDeadTasks state(String state) {
    return new RequeueDeadTasks(parts().member("state", state));
  }

  /** {@code region}. */
  public RequeueDeadTasks region(String region) {
    return new RequeueDeadTasks(parts().member("region", region));
  }

  /** {@code channel}. */
  public RequeueDeadTasks channel(String channel) {
    return new RequeueDeadTasks(parts().member("channel", channel));
  }

  /** {@code type}. */
  public RequeueDeadTasks type(String type) {
    return new RequeueDeadTasks(parts().member("type", type));
  }

  /** {@code limit}. */
  public RequeueDeadTasks limit(long limit) {
    return new RequeueDeadTasks(parts().member("limit", limit));
  }

  /** {@code dry_run}. */
  public RequeueDeadTasks dryRun(boolean dryRun) {
    return new RequeueDeadTasks(parts().member("dry_run", dryRun));
  }
}
