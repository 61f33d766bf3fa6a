package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WorkflowView;

/** Restart a failed workflow with its input. {@code POST /workflows/{id}/retry}. */
public final class RetryWorkflow extends ApiCall<WorkflowView> {
  private RetryWorkflow(CallParts parts) {
    super(parts, AnswerType.json(WorkflowView.class));
  }

  /** The call, with what it needs. */
  public static RetryWorkflow of(String id) {
    return new RetryWorkflow(
        CallParts.once("POST", "/workflows/{id}/retry")
            .path("id", id));
  }
}
