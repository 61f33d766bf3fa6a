package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.DeadLetterResults;
import java.util.List;

/** Dismiss dead letters: the given ones, or the newest that match. They stay readable. {@code POST /dead-letters/tasks/discard}. */
public final class DiscardDeadTasks extends ApiCall<DeadLetterResults> {
  private DiscardDeadTasks(CallParts parts) {
    super(parts, AnswerType.json(DeadLetterResults.class));
  }

  /** The call, with what it needs. */
  public static DiscardDeadTasks of() {
    return new DiscardDeadTasks(
        CallParts.withKey("POST", "/dead-letters/tasks/discard")
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public DiscardDeadTasks userId(long userId) {
    return new DiscardDeadTasks(parts().query("user_id", userId));
  }

  /** {@code ids}. */
  public DiscardDeadTasks ids(List<String> ids) {
    return new DiscardDeadTasks(parts().member("ids", ids));
  }

  /** {@code state}: One of FAILED, TIMEOUT. */
  public DiscardDeadTasks state(String state) {
    return new DiscardDeadTasks(parts().member("state", state));
  }

  /** {@code region}. */
  public DiscardDeadTasks region(String region) {
    return new DiscardDeadTasks(parts().member("region", region));
  }

  /** {@code channel}. */
  public DiscardDeadTasks channel(String channel) {
    return new DiscardDeadTasks(parts().member("channel", channel));
  }

  /** {@code type}. */
  public DiscardDeadTasks type(String type) {
    return new DiscardDeadTasks(parts().member("type", type));
  }

  /** {@code limit}. */
  public DiscardDeadTasks limit(long limit) {
    return new DiscardDeadTasks(parts().member("limit", limit));
  }

  /** {@code dry_run}. */
  public DiscardDeadTasks dryRun(boolean dryRun) {
    return new DiscardDeadTasks(parts().member("dry_run", dryRun));
  }
}
