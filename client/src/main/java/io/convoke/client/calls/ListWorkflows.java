package io.convoke.client.calls;

import io.convoke.client.CallParts;
import io.convoke.client.ListCall;
import io.convoke.client.types.WorkflowView;

/** Workflows, newest first. {@code GET /workflows}. */
public final class ListWorkflows extends ListCall<WorkflowView> {
  private ListWorkflows(CallParts parts) {
    super(parts, WorkflowView.class);
  }

  /** The call, with what it needs. */
  public static ListWorkflows of() {
    return new ListWorkflows(
        CallParts.repeatable("GET", "/workflows"));
  }

  /** {@code status}: Only workflows of this status. */
  public ListWorkflows status(String status) {
    return new ListWorkflows(parts().query("status", status));
  }

  /** {@code name}: Only workflows of this kind. */
  public ListWorkflows name(String name) {
    return new ListWorkflows(parts().query("name", name));
  }

  /** {@code limit}: Entries of a page at most. */
  public ListWorkflows limit(long limit) {
    return new ListWorkflows(parts().query("limit", limit));
  }

  /** {@code cursor}: next_cursor of the page before. */
  public ListWorkflows cursor(String cursor) {
    return new ListWorkflows(parts().query("cursor", cursor));
  }

  /** {@code user_id}: For admins: the user to act for or to filter by. */
  public ListWorkflows userId(long userId) {
    return new ListWorkflows(parts().query("user_id", userId));
  }
}
