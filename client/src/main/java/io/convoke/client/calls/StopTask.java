package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.Task;

/** Stop a task: a pending one ends, the pod of a running one receives the request. {@code POST /tasks/{id}/stop}. */
public final class StopTask extends ApiCall<Task> {
  private StopTask(CallParts parts) {
    super(parts, AnswerType.json(Task.class));
  }

  /** The call, with what it needs. */
  public static StopTask of(String id) {
    return new StopTask(
        CallParts.repeatable("POST", "/tasks/{id}/stop")
            .path("id", id));
  }
}
