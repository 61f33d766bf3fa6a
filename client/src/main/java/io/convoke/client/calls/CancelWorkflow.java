package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WorkflowView;

/** Cancel a workflow; it may clean up first. {@code POST /workflows/{id}/cancel}. */
public final class CancelWorkflow extends ApiCall<WorkflowView> {
  private CancelWorkflow(CallParts parts) {
    super(parts, AnswerType.json(WorkflowView.class));
  }

  /** The call, with what it needs. */
  public static CancelWorkflow of(String id) {
    return new CancelWorkflow(
        CallParts.once("POST", "/workflows/{id}/cancel")
            .path("id", id));
  }

  /** {@code reason}. */
  public CancelWorkflow reason(String reason) {
    return new CancelWorkflow(parts().member("reason", reason));
  }
}
