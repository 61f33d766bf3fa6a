package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Dispatch;
import io.convoke.engine.dispatch.DispatchTerms;
import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.LivePod;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.Region;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskLists;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.seal.AccessTokens;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /tasks} and {@code /regions} (CONTRACT.md, "Tasks"). */
final class TaskEndpoints {
  private static final Duration FULL_RETRY = Duration.ofSeconds(5);

  private final Dispatch dispatch;
  private final Optional<TaskLists> lists;
  private final Journal journal;
  private final AccessTokens tokens;
  private final DispatchMeters meters;
  private final DispatchTerms terms;

  /**
   * Serves tasks.
   *
   * @param lists empty without a ledger
   */
  TaskEndpoints(
      Dispatch dispatch,
      Optional<TaskLists> lists,
      Journal journal,
      AccessTokens tokens,
      DispatchMeters meters,
      DispatchTerms terms) {
    this.dispatch = dispatch;
    this.lists = lists;
    this.journal = journal;
    this.tokens = tokens;
    this.meters = meters;
    this.terms = terms;
  }

  /** A task as it is asked for. */
  private record Wanted(
      Optional<String> id,
      String requestId,
      String type,
      String action,
      String channel,
      Optional<String> region,
      ObjectNode payload,
      Optional<String> unique) {}

  /** How a region stands; {@code global} stands for tasks of no region. */
  record RegionView(
      String region,
      long pending,
      long processing,
      long oldestPendingMs,
      long pods,
      long slots,
      long freeSlots) {
    static RegionView of(Region region) {
      return new RegionView(
          region.name(),
          region.pending(),
          region.processing(),
          region.oldest().map(Duration::toMillis).orElse(0L),
          region.pods(),
          region.slots(),
          region.free());
    }
  }

  /** The times and bounds that tasks live by. */
  record TermsView(long taskTimeoutMs, long leaseMs, int maxAttempts) {}

  /** The regions that have a task or a live pod, by name. */
  record RegionViews(List<RegionView> items, TermsView terms) {}

  /**
   * A pod that lives.
   *
   * @param processing tasks that it has
   * @param draining whether it is to take no task; its slots are 0 once it has heard so
   */
  record PodView(
      String podId, String region, long slots, long freeSlots, long processing, boolean draining) {
    static PodView of(LivePod pod) {
      return new PodView(
          pod.name(), pod.region(), pod.slots(), pod.free(), pod.held(), pod.draining());
    }
  }

  /** All pods that live, by region and name. */
  record PodViews(List<PodView> items) {}

  /** One thing that happened to a task. */
  record TaskMoment(long seq, String type, Instant at, String subject, JsonNode data) {
    static TaskMoment of(Event event) {
      return new TaskMoment(event.seq(), event.type(), event.at(), event.subject(), event.data());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/tasks")
            .id("createTask")
            .tag("tasks")
            .summary("Have a task run by a pod.")
            .description(
                "202: it will reach an end, whatever happens to Redis (unless the server runs"
                    + " without a ledger). 200: this request_id had its task already. Without a"
                    + " region any pod may take it; with unique the channel has no other open task"
                    + " that says so. An access_token in the payload is shown to the pod alone."
                    + " The payload has at most 65536 bytes as JSON; more is 413"
                    + " payload_too_large.")
            .roles(Role.USER, Role.INTERNAL)
            .body(
                Schema.object()
                    .optional("id", TaskSchemas.ID)
                    .required("request_id", TaskSchemas.REQUEST)
                    .required("type", TaskSchemas.ID)
                    .required("action", Schema.oneOf("start"))
                    .required("channel", TaskSchemas.CHANNEL)
                    .optional("region", TaskSchemas.ID)
                    .required(
                        "payload", Schema.anyObject().describe("At most 65536 bytes as JSON."))
                    .optional("unique", Schema.oneOf("channel")))
            .creates()
            .answers(202, TaskSchemas.TASK)
            .answers(200, TaskSchemas.TASK)
            .problems(409, 429)
            .handle(this::create),
        Endpoint.get("/tasks")
            .id("listTasks")
            .tag("tasks")
            .summary("Tasks as the ledger knows them, newest first.")
            .description("Some milliseconds behind GET /tasks/{id}. 409 without a ledger.")
            .roles(Role.USER, Role.INTERNAL)
            .query("state", TaskSchemas.STATE)
            .query("region", TaskSchemas.ID.describe("global for those of no region."))
            .query("channel", TaskSchemas.CHANNEL)
            .query("type", TaskSchemas.ID)
            .paged()
            .answers(200, Schema.slice(TaskSchemas.TASK))
            .problems(409)
            .handle(this::list),
        Endpoint.get("/tasks/{id}")
            .id("getTask")
            .tag("tasks")
            .summary("One task.")
            .roles(Role.USER, Role.INTERNAL)
            .path("id", TaskSchemas.ID)
            .answers(200, TaskSchemas.TASK)
            .handle(request -> Answer.ok(TaskSchemas.view(visible(request)))),
        Endpoint.post("/tasks/{id}/stop")
            .id("stopTask")
            .tag("tasks")
            .summary("Want a task to end: one that waits never starts, one that runs is told.")
            .roles(Role.USER, Role.INTERNAL)
            .path("id", TaskSchemas.ID)
            .answers(202, TaskSchemas.TASK)
            .handle(this::stop),
        Endpoint.get("/tasks/{id}/timeline")
            .id("taskTimeline")
            .tag("tasks")
            .summary("What happened to a task, in order.")
            .roles(Role.USER, Role.INTERNAL)
            .path("id", TaskSchemas.ID)
            .paged()
            .answers(200, Schema.slice(Schema.of(TaskMoment.class)))
            .problems(409)
            .handle(this::timeline),
        Endpoint.get("/regions")
            .id("listRegions")
            .tag("tasks")
            .summary("The regions that have a task or a live pod, and how they stand.")
            .roles(Role.USER, Role.INTERNAL)
            .answers(200, Schema.of(RegionViews.class))
            .handle(_ -> Answer.ok(regions())),
        Endpoint.get("/pods")
            .id("listPods")
            .tag("tasks")
            .summary("The pods that live, with their slots.")
            .roles(Role.ADMIN, Role.INTERNAL)
            .answers(200, Schema.of(PodViews.class))
            .handle(_ -> Answer.ok(pods())),
        Endpoint.post("/pods/{pod_id}/drain")
            .id("drainPod")
            .tag("tasks")
            .summary("Have a pod take no more tasks; what it runs comes to its end.")
            .description(
                "For as long as the pod lives, or until it is resumed; a pod that is started again"
                    + " is another one.")
            .roles(Role.ADMIN, Role.INTERNAL)
            .path("pod_id", TaskSchemas.POD)
            .answers(202, Schema.of(PodView.class))
            .handle(request -> drain(request, true)),
        Endpoint.post("/pods/{pod_id}/resume")
            .id("resumePod")
            .tag("tasks")
            .summary("Have a drained pod take tasks again.")
            .roles(Role.ADMIN, Role.INTERNAL)
            .path("pod_id", TaskSchemas.POD)
            .answers(202, Schema.of(PodView.class))
            .handle(request -> drain(request, false)));
  }

  private RegionViews regions() {
    return new RegionViews(
        dispatch.survey().regions().stream().map(RegionView::of).toList(),
        new TermsView(
            terms.taskTimeout().toMillis(), terms.lease().toMillis(), terms.maxAttempts()));
  }

  private PodViews pods() {
    return new PodViews(
        dispatch.survey().pods().stream()
            .sorted(Comparator.comparing(LivePod::region).thenComparing(LivePod::name))
            .map(PodView::of)
            .toList());
  }

  private Answer drain(Request request, boolean drain) {
    String pod = request.path("pod_id");
    return dispatch
        .drain(pod, drain)
        .map(PodView::of)
        .map(Answer::accepted)
        .orElseThrow(() -> Problem.notFound("pod, or it does not live any more"));
  }

  private Answer create(Request request) {
    Wanted wanted = request.body(Wanted.class);
    if (wanted.region().filter(name -> !NewTask.isRegion(name)).isPresent()) {
      throw Problem.badRequest("region", "is the name of the queue of no region");
    }
    if (NewTask.payloadBytes(wanted.payload()) > NewTask.PAYLOAD_BYTES_MAX) {
      throw payloadTooLarge();
    }
    NewTask task =
        new NewTask(
            wanted.id().orElseGet(TaskIds::fresh),
            wanted.requestId(),
            wanted.type(),
            wanted.action(),
            wanted.channel(),
            wanted.region(),
            tokens.seal(wanted.payload()),
            wanted.unique().isPresent(),
            TaskAccess.owner(request));
    Enqueued enqueued = dispatch.submit(task);
    meters.submitted(enqueued);
    return switch (enqueued) {
      case Enqueued.Created(Task created) -> Answer.accepted(TaskSchemas.view(created));
      case Enqueued.Known(Task known) -> Answer.ok(TaskSchemas.view(known));
      case Enqueued.IdTaken _ ->
          throw Problem.conflict(
              "id_taken", "Another request has a task of this id.", Map.of("id", task.id()));
      case Enqueued.ChannelBusy(String holder) ->
          throw Problem.conflict(
              "channel_busy",
              "The channel has an open task that is to be its only one.",
              Map.of("task_id", holder));
      case Enqueued.QueueFull _ -> throw queueFull();
    };
  }

  static Problem payloadTooLarge() {
    return Problem.of(
        413,
        "payload_too_large",
        "The payload has more than " + NewTask.PAYLOAD_BYTES_MAX + " bytes as JSON.");
  }

  static Problem queueFull() {
    return Problem.tooMany(
        "queue_full", "More tasks wait there already than could start in time.", FULL_RETRY);
  }

  private Answer list(Request request) {
    TaskLists tasks = lists.orElseThrow(NoLedger::list);
    Page page = request.page();
    List<Task> found =
        tasks.list(
            new TaskLists.Filter(
                TaskAccess.owner(request),
                request.query("state").map(TaskState::valueOf),
                request.query("region"),
                request.query("channel"),
                request.query("type"),
                page.cursor().map(TaskCursor::read),
                page.limit() + 1));
    return Answer.ok(Slice.of(found, page, TaskCursor::of).map(TaskSchemas::view));
  }

  private Answer stop(Request request) {
    Task task = visible(request);
    return Answer.accepted(TaskSchemas.view(dispatch.stop(task.id()).task().orElse(task)));
  }

  private Answer timeline(Request request) {
    Task task = visible(request);
    if (lists.isEmpty()) {
      throw NoLedger.timeline();
    }
    Page page = request.page();
    long after = page.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<Event> events =
        journal.read(EventFilter.subject(TaskEvents.subject(task.id())), after, page.limit() + 1);
    return Answer.ok(Slice.of(events, page, event -> Cursor.of(event.seq())).map(TaskMoment::of));
  }

  private Task visible(Request request) {
    return TaskAccess.visible(request.caller(), dispatch.find(request.path("id")));
  }
}
