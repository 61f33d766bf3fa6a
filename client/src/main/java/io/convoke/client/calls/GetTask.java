package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Task;

/** Get a task. {@code GET /tasks/{id}}. */
public final class GetTask extends ApiCall<Task> {
  private GetTask(CallParts parts) {
    super(parts, AnswerType.json(Task.class));
  }

  /** The call, with what it needs. */
  public static GetTask of(String id) {
    return new GetTask(
        CallParts.repeatable("GET", "/tasks/{id}")
            .path("id", id));
  }
}
