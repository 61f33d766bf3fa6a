package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.TaskHistoryEntry;
import java.util.List;

/** List the events of a task, in order. {@code GET /tasks/{id}/timeline}. */
public final class TaskTimeline extends ListCall<TaskHistoryEntry> {
  private TaskTimeline(CallParts parts) {
    super(parts, TaskHistoryEntry.class);
  }

  /** The call, with what it needs. */
  public static TaskTimeline of(String id) {
    return new TaskTimeline(
        CallParts.repeatable("GET", "/tasks/{id}/timeline")
            .path("id", id));
  }

  /** {@code limit}: Entries of a page at most. */
  public TaskTimeline limit(long limit) {
    return new TaskTimeline(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public TaskTimeline cursor(String cursor) {
    return new TaskTimeline(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public TaskTimeline userId(long userId) {
    return new TaskTimeline(parts().query("user_id", userId));
  }
}
