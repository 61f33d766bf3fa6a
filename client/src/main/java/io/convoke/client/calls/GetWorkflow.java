package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WorkflowHistoryView;

/** One workflow with its history. {@code GET /workflows/{id}}. */
public final class GetWorkflow extends ApiCall<WorkflowHistoryView> {
  private GetWorkflow(CallParts parts) {
    super(parts, AnswerType.json(WorkflowHistoryView.class));
  }

  /** The call, with what it needs. */
  public static GetWorkflow of(String id) {
    return new GetWorkflow(
        CallParts.repeatable("GET", "/workflows/{id}")
            .path("id", id));
  }
}
