package io.convoke.client.types;

import java.util.List;

/** A {@code WorkflowHistoryView} of the API. */
public record WorkflowHistoryView(
    WorkflowView workflow,
    List<ExecutionView> executions,
    List<String> children,
    List<PendingActivity> pending,
    List<HistoryEventView> history,
    boolean truncated) {}
