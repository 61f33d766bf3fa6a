package io.convoke.client.calls;

import io.convoke.client.AnswerType;
import io.convoke.client.ApiCall;
import io.convoke.client.CallParts;
import io.convoke.client.types.WorkflowView;
import tools.jackson.databind.JsonNode;

/** Raise an event for a workflow; the body is the event's data. {@code POST /workflows/{id}/events/{name}}. */
public final class RaiseWorkflowEvent extends ApiCall<WorkflowView> {
  private RaiseWorkflowEvent(CallParts parts) {
    super(parts, AnswerType.json(WorkflowView.class));
  }

  /** The call, with what it needs. */
  public static RaiseWorkflowEvent of(String id, String name) {
    return new RaiseWorkflowEvent(
        CallParts.once("POST", "/workflows/{id}/events/{name}")
            .path("id", id)
            .path("name", name));
  }

  /** What is sent. */
  public RaiseWorkflowEvent body(JsonNode body) {
    return new RaiseWorkflowEvent(parts().body(body));
  }
}
