package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.Task;
import java.util.List;

/** List tasks, newest first. {@code GET /tasks}. */
public final class ListTasks extends ListCall<Task> {
  private ListTasks(CallParts parts) {
    super(parts, Task.class);
  }

  /** The call, with what it needs. */
  public static ListTasks of() {
    return new ListTasks(
        CallParts.repeatable("GET", "/tasks"));
  }

  /** {@code state}: Only tasks of this state. */
  public ListTasks state(String state) {
    return new ListTasks(parts().query("state", state));
  }

  /** {@code region}: Only tasks of this region; global: those of none. */
  public ListTasks region(String region) {
    return new ListTasks(parts().query("region", region));
  }

  /** {@code channel}: Only tasks of this channel. */
  public ListTasks channel(String channel) {
    return new ListTasks(parts().query("channel", channel));
  }

  /** {@code type}: Only tasks of this type. */
  public ListTasks type(String type) {
    return new ListTasks(parts().query("type", type));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListTasks limit(long limit) {
    return new ListTasks(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListTasks cursor(String cursor) {
    return new ListTasks(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListTasks userId(long userId) {
    return new ListTasks(parts().query("user_id", userId));
  }
}
