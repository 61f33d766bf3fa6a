package io.convoke.server.workflows;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.durable.provider.ExecutionStatus;
import io.convoke.engine.durable.provider.HistoryEvent;
import io.convoke.engine.durable.provider.ProviderAdmin;
import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.workflows.WorkflowStore.PendingActivity;
import io.convoke.server.workflows.WorkflowStore.WorkflowFilter;
import io.convoke.server.workflows.WorkflowStore.WorkflowPosition;
import io.convoke.server.workflows.WorkflowStore.WorkflowView;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** {@code /workflows} (docs/spec/contract.md, Workflows): users see their own, admins all. */
final class WorkflowEndpoints {
  private static final int EVENTS_MAX = 10_000;
  private static final int PENDING_MAX = 1_000;
  private static final long NO_USER = 0;
  private static final Schema NAME = Schema.printable(1, 255);
  private static final Schema STATUS = Schema.oneOf("running", "completed", "failed");

  private final WorkflowStore store;
  private final Durable engine;

  WorkflowEndpoints(WorkflowStore store, Durable engine) {
    this.store = store;
    this.engine = engine;
  }

  /** An event of a history. */
  record HistoryEventView(long executionId, long eventId, String type, JsonNode data) {}

  /** One execution of a workflow; more than one if it was tried again or continued as new. */
  record ExecutionView(
      long executionId, String status, Instant startedAt, Optional<Instant> completedAt) {}

  /** A workflow with its history, oldest first. */
  record WorkflowHistoryView(
      WorkflowView workflow,
      List<ExecutionView> executions,
      List<String> children,
      List<PendingActivity> pending,
      List<HistoryEventView> history,
      boolean truncated) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get("/workflows")
            .id("listWorkflows")
            .tag("workflows")
            .summary("Workflows, newest first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .query("status", STATUS.describe("Only workflows of this status."))
            .query("name", NAME.describe("Only workflows of this kind."))
            .paged()
            .answers(200, Schema.slice(Schema.of(WorkflowView.class)))
            .handle(this::list),
        Endpoint.get("/workflows/{id}")
            .id("getWorkflow")
            .tag("workflows")
            .summary("One workflow with its history.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", NAME.describe("The id of the workflow."))
            .answers(200, Schema.of(WorkflowHistoryView.class))
            .handle(request -> Response.ok(story(visible(request)))),
        Endpoint.post("/workflows/{id}/cancel")
            .id("cancelWorkflow")
            .tag("workflows")
            .summary("Cancel a workflow; it may clean up first.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", NAME.describe("The id of the workflow."))
            .optionalBody(Schema.object().optional("reason", Schema.printable(1, 500)))
            .answers(202, Schema.of(WorkflowView.class))
            .problems(409)
            .handle(this::cancel),
        Endpoint.post("/workflows/{id}/retry")
            .id("retryWorkflow")
            .tag("workflows")
            .summary("Restart a failed workflow with its input.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", NAME.describe("The id of the workflow."))
            .answers(202, Schema.of(WorkflowView.class))
            .problems(409)
            .handle(this::retry),
        Endpoint.post("/workflows/{id}/events/{name}")
            .id("raiseWorkflowEvent")
            .tag("workflows")
            .summary("Raise an event for a workflow; the body is the event's data.")
            .roles(CallerRole.USER)
            .scope(ApiScope.MEETINGS)
            .path("id", NAME.describe("The id of the workflow."))
            .path("name", NAME.describe("The name that the workflow waits for."))
            .optionalBody(Schema.any())
            .answers(202, Schema.of(WorkflowView.class))
            .problems(409)
            .handle(this::raise));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    List<WorkflowView> views =
        store.list(
            new WorkflowFilter(
                request.ownerFilter(),
                request
                    .query("status")
                    .map(value -> ExecutionStatus.valueOf(value.toUpperCase(Locale.ROOT))),
                request.query("name"),
                pageRequest.cursor().map(WorkflowEndpoints::place),
                pageRequest.limit() + 1));
    Optional<String> next =
        views.size() > pageRequest.limit()
            ? Optional.of(views.get(pageRequest.limit() - 1))
                .map(last -> Cursor.of(last.createdAt().toString(), last.id()))
            : Optional.empty();
    return Response.ok(new Page<>(views.stream().limit(pageRequest.limit()).toList(), next));
  }

  private Response cancel(Request request) {
    WorkflowView workflow = running(changing(request));
    JsonNode reason = request.json().path("reason");
    engine.cancel(
        workflow.id(),
        reason.isString() ? reason.asString() : "asked by " + request.caller().scope());
    return Response.accepted(workflow);
  }

  private Response retry(Request request) {
    WorkflowView workflow = changing(request);
    if (!engine.retry(workflow.id())) {
      throw conflict(workflow, "Only a failed workflow can be restarted.");
    }
    return Response.accepted(workflow);
  }

  private Response raise(Request request) {
    WorkflowView workflow = running(changing(request));
    engine.raise(workflow.id(), request.path("name"), request.json());
    return Response.accepted(workflow);
  }

  private WorkflowHistoryView story(WorkflowView workflow) {
    ProviderAdmin admin = engine.provider().admin();
    List<ExecutionView> executions =
        admin.executions(workflow.id()).stream()
            .map(
                it ->
                    new ExecutionView(
                        it.executionId(),
                        it.status().name().toLowerCase(Locale.ROOT),
                        it.startedAt(),
                        it.completedAt()))
            .toList();
    List<HistoryEventView> history = new ArrayList<>();
    for (ExecutionView executionView : executions.reversed()) {
      if (history.size() <= EVENTS_MAX) {
        List<HistoryEvent> events = admin.history(workflow.id(), executionView.executionId());
        history.addAll(
            0, events.stream().map(event -> happened(executionView.executionId(), event)).toList());
      }
    }
    boolean truncated = history.size() > EVENTS_MAX;
    return new WorkflowHistoryView(
        workflow,
        executions,
        admin.children(workflow.id()),
        store.pending(workflow.id(), PENDING_MAX),
        truncated ? history.subList(history.size() - EVENTS_MAX, history.size()) : history,
        truncated);
  }

  private static HistoryEventView happened(long executionId, HistoryEvent event) {
    return new HistoryEventView(
        executionId, event.eventId(), event.type(), Json.read(event.data()));
  }

  /** The workflow that the request changes, for the audit journal too. */
  private WorkflowView changing(Request request) {
    WorkflowView workflow = visible(request);
    var _ =
        request
            .action()
            .target("workflow", workflow.id())
            .before(Map.of("status", workflow.status()));
    return workflow;
  }

  private WorkflowView visible(Request request) {
    return store
        .find(request.path("id"))
        .filter(workflowView -> request.caller().owns(workflowView.userId().orElse(NO_USER)))
        .orElseThrow(() -> Problem.notFound("workflow"));
  }

  private static WorkflowView running(WorkflowView workflow) {
    if (!workflow.status().equals("running")) {
      throw conflict(workflow, "The workflow has ended.");
    }
    return workflow;
  }

  private static Problem conflict(WorkflowView workflow, String detail) {
    return Problem.conflict(
        "workflow_" + workflow.status(), detail, Map.of("workflow_status", workflow.status()));
  }

  private static WorkflowPosition place(String cursor) {
    List<String> parts = Cursor.parse(cursor);
    try {
      if (parts.size() == 2) {
        return new WorkflowPosition(Instant.parse(parts.get(0)), parts.get(1));
      }
    } catch (DateTimeParseException e) {
      // The same answer as for any other cursor that is not ours.
    }
    throw Problem.badRequest("cursor", "is not a cursor of this list");
  }
}
