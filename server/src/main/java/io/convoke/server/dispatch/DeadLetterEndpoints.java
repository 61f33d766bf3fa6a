package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.json.Json;
import io.convoke.server.dispatch.DeadLetterStore.DeadLetterFilter;
import io.convoke.server.dispatch.TaskJournal.DeadLetterSettlement;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.QuotaName;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Endpoints of dead letters: failed or timed-out tasks that a user requeues or dismisses. Each
 * action has a dry run, is bounded and idempotent.
 */
final class DeadLetterEndpoints {
  private static final String PATH = "/dead-letters/tasks";
  private static final Schema STATE = Schema.oneOf("FAILED", "TIMEOUT");
  private static final Schema SETTLED = Schema.of(DeadLetterResults.class);
  private static final Schema SELECTION =
      Schema.object()
          .optional("ids", Schema.array(TaskSchemas.ID, PageRequest.MAX_LIMIT))
          .optional("state", STATE)
          .optional("region", TaskSchemas.ID)
          .optional("channel", TaskSchemas.CHANNEL)
          .optional("type", TaskSchemas.ID)
          .optional(
              "limit",
              Schema.integer(1, PageRequest.MAX_LIMIT).byDefault(PageRequest.DEFAULT_LIMIT))
          .optional("dry_run", Schema.bool().byDefault(false))
          .example(Json.read("{\"ids\": [\"0f8c1e2d\"], \"dry_run\": true}"));

  private final DispatchService dispatchService;
  private final Optional<DeadLetterStore> letters;
  private final TaskRequeuer taskRequeuer;
  private final TaskRule rule;

  /**
   * Serves dead letters.
   *
   * @param letters empty without a database
   */
  DeadLetterEndpoints(
      DispatchService dispatchService,
      Optional<DeadLetterStore> letters,
      TaskRequeuer taskRequeuer,
      TaskRule rule) {
    this.dispatchService = dispatchService;
    this.letters = letters;
    this.taskRequeuer = taskRequeuer;
    this.rule = rule;
  }

  /** The result for one task, real or in a dry run. */
  enum DeadLetterOutcome {
    WOULD_REQUEUE,
    REQUEUED,
    WOULD_DISCARD,
    DISCARDED,
    /** The task was requeued before. */
    ALREADY,
    /** The task is not a dead letter. */
    NOT_DEAD,
    UNKNOWN,
    CHANNEL_BUSY,
    QUEUE_FULL,
    /** The task was accepted before payloads had a limit. */
    PAYLOAD_TOO_LARGE,
    /** Its user may not submit it any more, such as for a room that has another owner now. */
    REFUSED
  }

  /**
   * The result for one task.
   *
   * @param taskId the task that replaces it, or that occupies the channel
   */
  record DeadLetterResult(String id, DeadLetterOutcome outcome, Optional<String> taskId) {}

  /**
   * The results for the selected tasks.
   *
   * @param more whether more tasks match than one request handles
   */
  record DeadLetterResults(boolean dryRun, List<DeadLetterResult> items, boolean more) {}

  private record RequeueRequest(Optional<Boolean> dryRun) {}

  private record DeadLetterSelection(
      Optional<List<String>> ids,
      Optional<String> state,
      Optional<String> region,
      Optional<String> channel,
      Optional<String> type,
      Optional<Integer> limit,
      Optional<Boolean> dryRun) {
    boolean dry() {
      return dryRun.orElse(false);
    }
  }

  /** The selected tasks that can be settled, and the results of the others. */
  private record SelectedDeadLetters(
      List<Task> dead, List<DeadLetterResult> others, boolean more) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get(PATH)
            .id("listDeadTasks")
            .tag("tasks")
            .summary("List dead letters: FAILED or TIMEOUT tasks, neither requeued nor dismissed.")
            .description("Newest first, without stopped tasks. 409 if tasks are not stored.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .query("state", STATE.describe("Only tasks of this state."))
            .query(
                "region",
                TaskSchemas.ID.describe("Only tasks of this region; global: those of none."))
            .query("channel", TaskSchemas.CHANNEL.describe("Only tasks of this channel."))
            .query("type", TaskSchemas.ID.describe("Only tasks of this type."))
            .paged()
            .answers(200, Schema.slice(TaskSchemas.TASK))
            .problems(409)
            .handle(this::list),
        Endpoint.post(PATH + "/requeue")
            .id("requeueDeadTasks")
            .tag("tasks")
            .summary("Requeue dead letters: the given ones, or the newest that match.")
            .description(
                "Creates one new task with the same request for each, at most once however often"
                    + " this is repeated. With dry_run nothing changes; the response tells the"
                    + " result.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .body(SELECTION)
            .creates()
            .repeatable(DeadLetterEndpoints::namesTasks)
            .answers(202, SETTLED)
            .answers(200, SETTLED)
            .problems(409)
            .handle(this::requeue),
        Endpoint.post(PATH + "/discard")
            .id("discardDeadTasks")
            .tag("tasks")
            .summary(
                "Dismiss dead letters: the given ones, or the newest that match. They stay"
                    + " readable.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .body(SELECTION)
            .creates()
            .repeatable(DeadLetterEndpoints::namesTasks)
            .answers(200, SETTLED)
            .problems(409)
            .handle(this::discard),
        Endpoint.post("/tasks/{id}/requeue")
            .id("requeueTask")
            .tag("tasks")
            .summary("Requeue a FAILED or TIMEOUT task as a new task.")
            .description("202: created; 200: created before, or dry_run.")
            .roles(CallerRole.USER, CallerRole.INTERNAL)
            .scope(ApiScope.TASKS)
            .path("id", TaskSchemas.ID.describe("The id of the task."))
            .optionalBody(Schema.object().optional("dry_run", Schema.bool().byDefault(false)))
            .creates()
            .repeatable()
            .answers(202, Schema.of(DeadLetterResult.class))
            .answers(200, Schema.of(DeadLetterResult.class))
            .problems(409, 429)
            .handle(this::requeueOne));
  }

  private Response list(Request request) {
    PageRequest pageRequest = request.page();
    List<Task> found =
        letters()
            .list(
                new DeadLetterFilter(
                    TaskAccess.owner(request),
                    request.query("state").map(TaskState::valueOf),
                    request.query("region"),
                    request.query("channel"),
                    request.query("type")),
                pageRequest.cursor().map(TaskCursor::read),
                pageRequest.limit() + 1);
    return Response.ok(Page.of(found, pageRequest, TaskCursor::of).map(TaskSchemas::view));
  }

  private Response requeueOne(Request request) throws InterruptedException {
    Task task = TaskAccess.visible(request.caller(), dispatchService.find(request.path("id")));
    if (!DeadLetterStore.dead(task)) {
      String state = task.stop() ? "stopped" : task.state().name().toLowerCase(Locale.ROOT);
      throw Problem.conflict(
          "task_" + state,
          "Only a FAILED or TIMEOUT task that was not stopped can be requeued.",
          Map.of("state", task.state().name()));
    }
    if (!TaskRequeuer.fits(task)) {
      throw TaskEndpoints.payloadTooLarge();
    }
    task.userId().ifPresent(user -> rule.check(user, task.type(), task.channel()));
    if (request.body(RequeueRequest.class).dryRun().orElse(false)) {
      return Response.ok(fate(task, DeadLetterOutcome.WOULD_REQUEUE));
    }
    letters.ifPresent(_ -> permit(request, List.of(task)));
    TaskRequeuer.RequeuedTask requeuedTask = taskRequeuer.make(task);
    DeadLetterResult deadLetterResult = fate(requeuedTask);
    letters.ifPresent(it -> it.settle(settlements(request, List.of(requeuedTask))));
    return switch (requeuedTask.enqueued()) {
      case EnqueueResult.Created _ -> Response.accepted(deadLetterResult);
      case EnqueueResult.AlreadyEnqueued _ -> Response.ok(deadLetterResult);
      case EnqueueResult.IdTaken _ ->
          throw Problem.conflict("id_taken", "The id is taken.", Map.of());
      case EnqueueResult.ChannelBusy(String holder) ->
          throw Problem.conflict(
              "channel_busy",
              "The channel already has an open unique task.",
              Map.of("task_id", holder));
      case EnqueueResult.QueueFull _ -> throw TaskEndpoints.queueFull();
    };
  }

  /**
   * Whether a request says which tasks it is about. A selection that ran again would take others
   * instead of those that it has settled.
   */
  private static boolean namesTasks(Request request) {
    return request.json().hasNonNull("ids");
  }

  private Response requeue(Request request) throws InterruptedException {
    DeadLetterSelection deadLetterSelection = request.body(DeadLetterSelection.class);
    SelectedDeadLetters selectedDeadLetters = choose(request, deadLetterSelection);
    List<DeadLetterResult> fates = new ArrayList<>(selectedDeadLetters.others());
    List<Task> fit = new ArrayList<>();
    for (Task task : selectedDeadLetters.dead()) {
      if (!TaskRequeuer.fits(task)) {
        fates.add(fate(task, DeadLetterOutcome.PAYLOAD_TOO_LARGE));
      } else if (!allowed(task)) {
        fates.add(fate(task, DeadLetterOutcome.REFUSED));
      } else {
        fit.add(task);
      }
    }
    if (deadLetterSelection.dry()) {
      fit.forEach(task -> fates.add(fate(task, DeadLetterOutcome.WOULD_REQUEUE)));
      return Response.ok(new DeadLetterResults(true, fates, selectedDeadLetters.more()));
    }
    permit(request, fit);
    TaskRequeuer.RequeueSummary requeueSummary = taskRequeuer.make(fit);
    letters().settle(settlements(request, requeueSummary.made()));
    if (requeueSummary.failure().isPresent()) {
      throw requeueSummary.failure().get();
    }
    requeueSummary.made().forEach(requeuedTask -> fates.add(fate(requeuedTask)));
    return Response.accepted(new DeadLetterResults(false, fates, selectedDeadLetters.more()));
  }

  /**
   * Permits as many new tasks, and files if one of them stores any. Those that a request whose
   * answer was lost has made already are not new.
   */
  private void permit(Request request, List<Task> tasks) {
    try {
      permitNew(request, tasks);
    } catch (Problem exceeded) {
      Set<String> made =
          letters()
              .known(tasks.stream().flatMap(it -> taskRequeuer.insteadOf(it).stream()).toList());
      if (made.isEmpty()) {
        throw exceeded;
      }
      permitNew(
          request,
          tasks.stream()
              .filter(task -> taskRequeuer.insteadOf(task).stream().noneMatch(made::contains))
              .toList());
    }
  }

  private void permitNew(Request request, List<Task> tasks) {
    if (tasks.stream().anyMatch(task -> rule.stores(task.type(), (ObjectNode) task.payload()))) {
      request.permitOneMore(QuotaName.STORED_BYTES);
    }
    request.permitMore(QuotaName.TASKS, tasks.size());
  }

  private boolean allowed(Task task) {
    try {
      task.userId().ifPresent(user -> rule.check(user, task.type(), task.channel()));
      return true;
    } catch (Problem refused) {
      return false;
    }
  }

  private Response discard(Request request) {
    DeadLetterSelection deadLetterSelection = request.body(DeadLetterSelection.class);
    SelectedDeadLetters selectedDeadLetters = choose(request, deadLetterSelection);
    DeadLetterOutcome deadLetterOutcome =
        deadLetterSelection.dry() ? DeadLetterOutcome.WOULD_DISCARD : DeadLetterOutcome.DISCARDED;
    if (!deadLetterSelection.dry()) {
      letters()
          .settle(
              selectedDeadLetters.dead().stream()
                  .map(
                      task ->
                          new DeadLetterSettlement(
                              task.id(), Optional.empty(), task.userId(), request.caller().scope()))
                  .toList());
    }
    List<DeadLetterResult> fates = new ArrayList<>(selectedDeadLetters.others());
    selectedDeadLetters.dead().forEach(task -> fates.add(fate(task, deadLetterOutcome)));
    return Response.ok(
        new DeadLetterResults(deadLetterSelection.dry(), fates, selectedDeadLetters.more()));
  }

  private SelectedDeadLetters choose(Request request, DeadLetterSelection deadLetterSelection) {
    DeadLetterStore all = letters();
    if (deadLetterSelection.ids().isPresent()) {
      return named(request, all, List.copyOf(new LinkedHashSet<>(deadLetterSelection.ids().get())));
    }
    int limit = deadLetterSelection.limit().orElse(PageRequest.DEFAULT_LIMIT);
    List<Task> found =
        all.list(
            new DeadLetterFilter(
                TaskAccess.owner(request),
                deadLetterSelection.state().map(TaskState::valueOf),
                deadLetterSelection.region(),
                deadLetterSelection.channel(),
                deadLetterSelection.type()),
            Optional.empty(),
            limit + 1);
    boolean more = found.size() > limit;
    return new SelectedDeadLetters(more ? found.subList(0, limit) : found, List.of(), more);
  }

  private static SelectedDeadLetters named(Request request, DeadLetterStore all, List<String> ids) {
    Map<String, Task> tasks = all.named(ids);
    Map<String, Optional<String>> settled = all.settled(ids);
    List<Task> dead = new ArrayList<>();
    List<DeadLetterResult> others = new ArrayList<>();
    for (String id : ids) {
      @Nullable Task task = tasks.get(id);
      Optional<String> instead = settled.getOrDefault(id, Optional.empty());
      if (task == null || !TaskAccess.sees(request.caller(), task.userId())) {
        others.add(new DeadLetterResult(id, DeadLetterOutcome.UNKNOWN, Optional.empty()));
      } else if (!DeadLetterStore.dead(task)) {
        others.add(fate(task, DeadLetterOutcome.NOT_DEAD));
      } else if (instead.isPresent()) {
        others.add(new DeadLetterResult(id, DeadLetterOutcome.ALREADY, instead));
      } else {
        dead.add(task);
      }
    }
    return new SelectedDeadLetters(dead, others, false);
  }

  private static List<DeadLetterSettlement> settlements(
      Request request, List<TaskRequeuer.RequeuedTask> made) {
    return made.stream()
        .filter(
            it ->
                switch (it.enqueued()) {
                  case EnqueueResult.Created _, EnqueueResult.AlreadyEnqueued _ -> true;
                  case EnqueueResult.IdTaken _,
                      EnqueueResult.ChannelBusy _,
                      EnqueueResult.QueueFull _ ->
                      false;
                })
        .map(
            it ->
                new DeadLetterSettlement(
                    it.task().id(),
                    Optional.of(it.instead().id()),
                    it.task().userId(),
                    request.caller().scope()))
        .toList();
  }

  private static DeadLetterResult fate(TaskRequeuer.RequeuedTask requeuedTask) {
    Optional<String> instead = Optional.of(requeuedTask.instead().id());
    return switch (requeuedTask.enqueued()) {
      case EnqueueResult.Created _ ->
          new DeadLetterResult(requeuedTask.task().id(), DeadLetterOutcome.REQUEUED, instead);
      case EnqueueResult.AlreadyEnqueued _ ->
          new DeadLetterResult(requeuedTask.task().id(), DeadLetterOutcome.ALREADY, instead);
      case EnqueueResult.IdTaken _ -> fate(requeuedTask.task(), DeadLetterOutcome.UNKNOWN);
      case EnqueueResult.ChannelBusy(String holder) ->
          new DeadLetterResult(
              requeuedTask.task().id(), DeadLetterOutcome.CHANNEL_BUSY, Optional.of(holder));
      case EnqueueResult.QueueFull _ -> fate(requeuedTask.task(), DeadLetterOutcome.QUEUE_FULL);
    };
  }

  private static DeadLetterResult fate(Task task, DeadLetterOutcome deadLetterOutcome) {
    return new DeadLetterResult(task.id(), deadLetterOutcome, Optional.empty());
  }

  private DeadLetterStore letters() {
    return letters.orElseThrow(NoTaskStore::deadLetters);
  }
}
