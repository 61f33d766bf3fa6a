package io.convoke.server.dispatch;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.PodInfo;
import io.convoke.engine.dispatch.RegionStats;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskListQueries;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.Caller;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /tasks}, {@code /regions} and {@code /pods} (docs/spec/contract.md, "Tasks"). */
final class TaskEndpoints {
  private static final String TARGET = "task";
  private static final Duration FULL_RETRY = Duration.ofSeconds(5);

  private final DispatchService dispatchService;
  private final Optional<TaskListQueries> lists;
  private final Journal journal;
  private final AccessTokenSealer tokens;
  private final DispatchMetrics meters;
  private final DispatchConfig config;
  private final LongPredicate users;
  private final TaskRule rule;

  /**
   * Serves tasks.
   *
   * @param lists empty if tasks are not stored
   * @param users whether there is a user of this id
   */
  TaskEndpoints(
      DispatchService dispatchService,
      Optional<TaskListQueries> lists,
      Journal journal,
      AccessTokenSealer tokens,
      DispatchMetrics meters,
      DispatchConfig config,
      LongPredicate users,
      TaskRule rule) {
    this.users = users;
    this.rule = rule;
    this.dispatchService = dispatchService;
    this.lists = lists;
    this.journal = journal;
    this.tokens = tokens;
    this.meters = meters;
    this.config = config;
  }

  /** The body of a submission. */
  private record TaskRequestBody(
      Optional<String> id,
      String requestId,
      String type,
      String action,
      String channel,
      Optional<String> region,
      ObjectNode payload,
      Optional<String> unique) {}

  /** Statistics of a region; {@code global} stands for tasks without a region. */
  record RegionView(
      String region,
      long pending,
      long processing,
      long oldestPendingMs,
      long pods,
      long slots,
      long freeSlots) {
    static RegionView of(RegionStats regionStats) {
      return new RegionView(
          regionStats.name(),
          regionStats.pending(),
          regionStats.processing(),
          regionStats.oldest().map(Duration::toMillis).orElse(0L),
          regionStats.pods(),
          regionStats.slots(),
          regionStats.free());
    }
  }

  /** Timeouts and bounds of dispatch. */
  record DispatchConfigView(long taskTimeoutMs, long leaseMs, int maxAttempts) {}

  /** The regions with tasks or live pods, by name. */
  record RegionViews(List<RegionView> items, DispatchConfigView terms) {}

  /**
   * A live pod.
   *
   * @param processing tasks that it holds
   * @param draining whether it takes no more tasks; its slots become 0 once it knows
   */
  record PodView(
      String podId, String region, long slots, long freeSlots, long processing, boolean draining) {
    static PodView of(PodInfo pod) {
      return new PodView(
          pod.name(), pod.region(), pod.slots(), pod.free(), pod.held(), pod.draining());
    }
  }

  /** All live pods, by region and name. */
  record PodViews(List<PodView> items) {}

  /** An event of a task. */
  record TaskHistoryEntry(long seq, String type, Instant at, String subject, JsonNode data) {
    static TaskHistoryEntry of(JournalEvent journalEvent) {
      return new TaskHistoryEntry(
          journalEvent.seq(),
          journalEvent.type(),
          journalEvent.at(),
          journalEvent.subject(),
          journalEvent.data());
    }
  }

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.post("/tasks")
            .id("createTask")
            .tag("tasks")
            .summary("Submit a task.")
            .description(
                "202: accepted; the task reaches a final state even if Redis loses it (unless tasks"
                    + " are not stored). 200: this request_id already has its task. Without a"
                    + " region any pod may claim it; with unique the channel has no other open"
                    + " unique task. Only the pod sees an access_token in the payload. The payload"
                    + " has at most 65536 bytes as JSON; more is 413 payload_too_large.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
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
                    .optional("unique", Schema.oneOf("channel"))
                    .example(
                        Json.read(
                            """
                            {"request_id": "req-1", "type": "record", "action": "start",
                             "channel": "stand-up", "region": "eu-west-1",
                             "payload": {"room": "stand-up"}}
                            """)))
            .creates()
            .repeatable()
            .answers(202, TaskSchemas.TASK)
            .answers(200, TaskSchemas.TASK)
            .problems(403, 404, 409, 429)
            .handle(this::create),
        Endpoint.get("/tasks")
            .id("listTasks")
            .tag("tasks")
            .summary("List tasks, newest first.")
            .description(
                "From the database, some milliseconds behind GET /tasks/{id}. 409 if tasks are not"
                    + " stored.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .query("state", TaskSchemas.STATE.describe("Only tasks of this state."))
            .query(
                "region",
                TaskSchemas.ID.describe("Only tasks of this region; global: those of none."))
            .query("channel", TaskSchemas.CHANNEL.describe("Only tasks of this channel."))
            .query("type", TaskSchemas.ID.describe("Only tasks of this type."))
            .paged()
            .answers(200, Schema.slice(TaskSchemas.TASK))
            .problems(409)
            .handle(this::list),
        Endpoint.get("/tasks/{id}")
            .id("getTask")
            .tag("tasks")
            .summary("Get a task.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .path("id", TaskSchemas.ID.describe("The id of the task."))
            .answers(200, TaskSchemas.TASK)
            .handle(request -> Response.ok(TaskSchemas.view(visible(request)))),
        Endpoint.post("/tasks/{id}/stop")
            .id("stopTask")
            .tag("tasks")
            .summary(
                "Stop a task: a pending one ends, the pod of a running one receives the request.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .path("id", TaskSchemas.ID.describe("The id of the task."))
            .answers(202, TaskSchemas.TASK)
            .handle(this::stop),
        Endpoint.get("/tasks/{id}/timeline")
            .id("taskTimeline")
            .tag("tasks")
            .summary("List the events of a task, in order.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .path("id", TaskSchemas.ID.describe("The id of the task."))
            .paged()
            .answers(200, Schema.slice(Schema.of(TaskHistoryEntry.class)))
            .problems(409)
            .handle(this::timeline),
        Endpoint.get("/regions")
            .id("listRegions")
            .tag("tasks")
            .summary("List regions with tasks or live pods, with statistics.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .answers(200, Schema.of(RegionViews.class))
            .handle(_ -> Response.ok(regions())),
        Endpoint.get("/pods")
            .id("listPods")
            .tag("tasks")
            .summary("List live pods with their slots.")
            .roles(CallerRole.ADMIN, CallerRole.INTERNAL)
            .answers(200, Schema.of(PodViews.class))
            .handle(_ -> Response.ok(pods())),
        Endpoint.post("/pods/{pod_id}/drain")
            .id("drainPod")
            .tag("tasks")
            .summary("Drain a pod: it claims no more tasks; running tasks go on.")
            .description(
                "Lasts until the pod is resumed or exits; a restarted pod is a new pod" + ".")
            .roles(CallerRole.ADMIN, CallerRole.INTERNAL)
            .operators(OperatorRole.OPERATOR)
            .path("pod_id", TaskSchemas.POD.describe("The id of the pod."))
            .answers(202, Schema.of(PodView.class))
            .handle(request -> drain(request, true)),
        Endpoint.post("/pods/{pod_id}/resume")
            .id("resumePod")
            .tag("tasks")
            .summary("Let a drained pod claim tasks again.")
            .roles(CallerRole.ADMIN, CallerRole.INTERNAL)
            .operators(OperatorRole.OPERATOR)
            .path("pod_id", TaskSchemas.POD.describe("The id of the pod."))
            .answers(202, Schema.of(PodView.class))
            .handle(request -> drain(request, false)));
  }

  private RegionViews regions() {
    return new RegionViews(
        dispatchService.stats().regions().stream().map(RegionView::of).toList(),
        new DispatchConfigView(
            config.taskTimeout().toMillis(), config.lease().toMillis(), config.maxAttempts()));
  }

  private PodViews pods() {
    return new PodViews(
        dispatchService.stats().pods().stream()
            .sorted(Comparator.comparing(PodInfo::region).thenComparing(PodInfo::name))
            .map(PodView::of)
            .toList());
  }

  private Response drain(Request request, boolean drain) {
    String pod = request.path("pod_id");
    return dispatchService
        .drain(pod, drain)
        .map(PodView::of)
        .map(Response::accepted)
        .orElseThrow(() -> Problem.notFound("running pod"));
  }

  private Response create(Request request) {
    TaskRequestBody taskRequestBody = request.body(TaskRequestBody.class);
    if (taskRequestBody.region().filter(name -> !NewTask.isRegion(name)).isPresent()) {
      throw Problem.badRequest("region", "is the name of the queue of no region");
    }
    // Nothing in it is sealed yet: a token that looks so counts as it is.
    if (Json.bytes(taskRequestBody.payload()).length > NewTask.PAYLOAD_BYTES_MAX) {
      throw payloadTooLarge();
    }
    Optional<Long> owner = TaskAccess.owner(request);
    owner.ifPresent(
        user -> {
          requireUser(request.caller(), user);
          rule.check(user, taskRequestBody.type(), taskRequestBody.channel());
        });
    NewTask task =
        new NewTask(
            taskRequestBody.id().orElseGet(TaskIdGenerator::fresh),
            taskRequestBody.requestId(),
            taskRequestBody.type(),
            taskRequestBody.action(),
            taskRequestBody.channel(),
            taskRequestBody.region(),
            tokens.seal(
                rule.payload(
                    owner,
                    taskRequestBody.type(),
                    taskRequestBody.channel(),
                    taskRequestBody.payload())),
            taskRequestBody.unique().isPresent(),
            TaskAccess.owner(request));
    var _ =
        request
            .action()
            .target(TARGET, task.id())
            .after(
                Map.of(
                    "request_id", taskRequestBody.requestId(),
                    "type", taskRequestBody.type(),
                    "channel", taskRequestBody.channel()));
    permit(request, task);
    EnqueueResult enqueueResult = dispatchService.submit(task);
    meters.submitted(enqueueResult);
    return switch (enqueueResult) {
      case EnqueueResult.Created(Task created) -> Response.accepted(TaskSchemas.view(created));
      case EnqueueResult.AlreadyEnqueued(Task known) -> Response.ok(TaskSchemas.view(known));
      case EnqueueResult.IdTaken _ ->
          throw Problem.conflict(
              "id_taken", "The id belongs to another request.", Map.of("id", task.id()));
      case EnqueueResult.ChannelBusy(String holder) ->
          throw Problem.conflict(
              "channel_busy",
              "The channel already has an open unique task.",
              Map.of("task_id", holder));
      case EnqueueResult.QueueFull _ -> throw queueFull();
    };
  }

  /** A task for an id that no user has would belong to the user who gets the id some day. */
  private void requireUser(Caller caller, long user) {
    if (!(caller instanceof Caller.UserCaller) && !users.test(user)) {
      throw Problem.notFound("user");
    }
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

  private Response list(Request request) {
    TaskListQueries tasks = lists.orElseThrow(NoTaskStore::list);
    PageRequest pageRequest = request.page();
    List<Task> found =
        tasks.list(
            new TaskListQueries.TaskFilter(
                TaskAccess.owner(request),
                request.query("state").map(TaskState::valueOf),
                request.query("region"),
                request.query("channel"),
                request.query("type"),
                pageRequest.cursor().map(TaskCursor::read),
                pageRequest.limit() + 1));
    return Response.ok(Page.of(found, pageRequest, TaskCursor::of).map(TaskSchemas::view));
  }

  /**
   * Stored tasks are counted, and no others are. A request that was accepted before adds no task,
   * so its answer may be asked for again.
   */
  private void permit(Request request, NewTask task) {
    if (lists.isEmpty()) {
      return;
    }
    try {
      if (rule.stores(task.type(), task.payload())) {
        request.permitOneMore(QuotaName.STORED_BYTES);
      }
      request.permitOneMore(QuotaName.TASKS);
    } catch (Problem exceeded) {
      if (!lists.get().hasRequest(task.requestId(), task.userId())) {
        throw exceeded;
      }
    }
  }

  private Response stop(Request request) {
    Task task = visible(request);
    var _ = request.action().target(TARGET, task.id()).before(Map.of("state", task.state().name()));
    return Response.accepted(TaskSchemas.view(dispatchService.stop(task.id()).task().orElse(task)));
  }

  /** An id may have had a task of another user, whose events stay in the journal. */
  private Response timeline(Request request) {
    Task task = visible(request);
    if (lists.isEmpty()) {
      throw NoTaskStore.timeline();
    }
    PageRequest pageRequest = request.page();
    long after = pageRequest.cursor().map(cursor -> Cursor.parseLongs(cursor, 1)[0]).orElse(0L);
    List<JournalEvent> events =
        journal.read(
            new EventFilter(
                Optional.empty(), Optional.of(TaskJournal.subject(task.id())), task.userId()),
            after,
            pageRequest.limit() + 1);
    return Response.ok(
        Page.of(events, pageRequest, journalEvent -> Cursor.of(journalEvent.seq()))
            .map(TaskHistoryEntry::of));
  }

  private Task visible(Request request) {
    return TaskAccess.visible(request.caller(), dispatchService.find(request.path("id")));
  }
}
