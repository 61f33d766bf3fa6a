package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Task;
import tools.jackson.databind.JsonNode;

/** Submit a task. {@code POST /tasks}. */
public final class CreateTask extends ApiCall<Task> {
  private CreateTask(CallParts parts) {
    super(parts, AnswerType.json(Task.class));
  }

  /** The call, with what it needs. */
  public static CreateTask of(String requestId, String type, String action, String channel, JsonNode payload) {
    return new CreateTask(
        CallParts.withKey("POST", "/tasks")
            .member("request_id", requestId)
            .member("type", type)
            .member("action", action)
            .member("channel", channel)
            .member("payload", payload)
            .body());
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public CreateTask userId(long userId) {
    return new CreateTask(parts().query("user_id", userId));
  }

  /** {@code id}. */
  public CreateTask id(String id) {
    return new CreateTask(parts().member("id", id));
  }

  /** {@code region}. */
  public CreateTask region(String region) {
    return new CreateTask(parts().member("region", region));
  }

  /** {@code unique}: One of channel. */
  public CreateTask unique(String unique) {
    return new CreateTask(parts().member("unique", unique));
  }
}
