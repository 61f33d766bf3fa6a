package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.Task;
import java.util.List;

/** List dead letters: FAILED or TIMEOUT tasks, neither requeued nor dismissed. {@code GET /dead-letters/tasks}. */
public final class ListDeadTasks extends ListCall<Task> {
  private ListDeadTasks(CallParts parts) {
    super(parts, Task.class);
  }

  /** The call, with what it needs. */
  public static ListDeadTasks of() {
    return new ListDeadTasks(
        CallParts.repeatable("GET", "/dead-letters/tasks"));
  }

  /** {@code state}: Only tasks of this state. */
  public ListDeadTasks state(String state) {
    return new ListDeadTasks(parts().query("state", state));
  }

  /** {@code region}: Only tasks of this region; global: those of none. */
  public ListDeadTasks region(String region) {
    return new ListDeadTasks(parts().query("region", region));
  }

  /** {@code channel}: Only tasks of this channel. */
  public ListDeadTasks channel(String channel) {
    return new ListDeadTasks(parts().query("channel", channel));
  }

  /** {@code type}: Only tasks of this type. */
  public ListDeadTasks type(String type) {
    return new ListDeadTasks(parts().query("type", type));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListDeadTasks limit(long limit) {
    return new ListDeadTasks(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListDeadTasks cursor(String cursor) {
    return new ListDeadTasks(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListDeadTasks userId(long userId) {
    return new ListDeadTasks(parts().query("user_id", userId));
  }
}
