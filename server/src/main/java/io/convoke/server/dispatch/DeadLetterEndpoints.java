package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Dispatch;
import io.convoke.engine.dispatch.Enqueued;
import io.convoke.engine.dispatch.Task;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.server.dispatch.DeadLetters.Filter;
import io.convoke.server.dispatch.TaskEvents.Settlement;
import io.convoke.server.http.Answer;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Role;
import io.convoke.server.http.Schema;
import io.convoke.server.http.Slice;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that ended badly, and what may be done about them: have them made anew, or let them go.
 * Each action can be tried dry, takes a bounded number, and may be repeated.
 */
final class DeadLetterEndpoints {
  private static final String PATH = "/dead-letters/tasks";
  private static final Schema STATE = Schema.oneOf("FAILED", "TIMEOUT");
  private static final Schema SETTLED = Schema.of(Settled.class);
  private static final Schema SELECTION =
      Schema.object()
          .optional("ids", Schema.array(TaskSchemas.ID, Page.MAX_LIMIT))
          .optional("state", STATE)
          .optional("region", TaskSchemas.ID)
          .optional("channel", TaskSchemas.CHANNEL)
          .optional("type", TaskSchemas.ID)
          .optional("limit", Schema.integer(1, Page.MAX_LIMIT).byDefault(Page.DEFAULT_LIMIT))
          .optional("dry_run", Schema.bool().byDefault(false));

  private final Dispatch dispatch;
  private final Optional<DeadLetters> letters;
  private final Requeue requeue;

  /**
   * Serves dead letters.
   *
   * @param letters empty without a ledger
   */
  DeadLetterEndpoints(Dispatch dispatch, Optional<DeadLetters> letters, Requeue requeue) {
    this.dispatch = dispatch;
    this.letters = letters;
    this.requeue = requeue;
  }

  /** What became of one, or would. */
  enum Outcome {
    WOULD_REQUEUE,
    REQUEUED,
    WOULD_DISCARD,
    DISCARDED,
    /** Another task was made instead before. */
    ALREADY,
    /** It did not end badly, or was stopped. */
    NOT_DEAD,
    UNKNOWN,
    CHANNEL_BUSY,
    QUEUE_FULL,
    /** It was accepted before payloads had a bound. */
    PAYLOAD_TOO_LARGE
  }

  /**
   * What became of one task.
   *
   * @param taskId the task that was made instead, or that holds the channel
   */
  record Fate(String id, Outcome outcome, Optional<String> taskId) {}

  /**
   * What became of those that were chosen.
   *
   * @param more whether more fit than one request takes
   */
  record Settled(boolean dryRun, List<Fate> items, boolean more) {}

  private record Again(Optional<Boolean> dryRun) {}

  private record Selection(
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

  /** The chosen ones that can be settled, and what is to be said of the others. */
  private record Chosen(List<Task> dead, List<Fate> others, boolean more) {}

  List<Endpoint> endpoints() {
    return List.of(
        Endpoint.get(PATH)
            .id("listDeadTasks")
            .tag("tasks")
            .summary("Tasks that ended FAILED or TIMEOUT and that nobody has settled.")
            .description("Newest first; without those that were stopped. 409 without a ledger.")
            .roles(Role.USER, Role.INTERNAL)
            .query("state", STATE)
            .query("region", TaskSchemas.ID.describe("global for those of no region."))
            .query("channel", TaskSchemas.CHANNEL)
            .query("type", TaskSchemas.ID)
            .paged()
            .answers(200, Schema.slice(TaskSchemas.TASK))
            .problems(409)
            .handle(this::list),
        Endpoint.post(PATH + "/requeue")
            .id("requeueDeadTasks")
            .tag("tasks")
            .summary(
                "Have new tasks made instead of dead ones: those named, or the newest that fit.")
            .description(
                "Each becomes one new task with what was asked for, at most once however often this"
                    + " is repeated. With dry_run nothing happens; the answer says what would.")
            .roles(Role.USER, Role.INTERNAL)
            .body(SELECTION)
            .creates()
            .answers(202, SETTLED)
            .answers(200, SETTLED)
            .problems(409)
            .handle(this::requeue),
        Endpoint.post(PATH + "/discard")
            .id("discardDeadTasks")
            .tag("tasks")
            .summary("Let dead tasks go: those named, or the newest that fit. They stay readable.")
            .roles(Role.USER, Role.INTERNAL)
            .body(SELECTION)
            .creates()
            .answers(200, SETTLED)
            .problems(409)
            .handle(this::discard),
        Endpoint.post("/tasks/{id}/requeue")
            .id("requeueTask")
            .tag("tasks")
            .summary("Have a new task made instead of one that ended FAILED or TIMEOUT.")
            .description("202: made; 200: it was made before, or dry_run says that it would be.")
            .roles(Role.USER, Role.INTERNAL)
            .path("id", TaskSchemas.ID)
            .optionalBody(Schema.object().optional("dry_run", Schema.bool().byDefault(false)))
            .creates()
            .answers(202, Schema.of(Fate.class))
            .answers(200, Schema.of(Fate.class))
            .problems(409, 429)
            .handle(this::requeueOne));
  }

  private Answer list(Request request) {
    Page page = request.page();
    List<Task> found =
        letters()
            .list(
                new Filter(
                    TaskAccess.owner(request),
                    request.query("state").map(TaskState::valueOf),
                    request.query("region"),
                    request.query("channel"),
                    request.query("type")),
                page.cursor().map(TaskCursor::read),
                page.limit() + 1);
    return Answer.ok(Slice.of(found, page, TaskCursor::of).map(TaskSchemas::view));
  }

  private Answer requeueOne(Request request) throws InterruptedException {
    Task task = TaskAccess.visible(request.caller(), dispatch.find(request.path("id")));
    if (!DeadLetters.dead(task)) {
      String state = task.stop() ? "stopped" : task.state().name().toLowerCase(Locale.ROOT);
      throw Problem.conflict(
          "task_" + state,
          "Only a task that ended FAILED or TIMEOUT, and that nobody stopped, can be requeued.",
          Map.of("state", task.state().name()));
    }
    if (!Requeue.fits(task)) {
      throw TaskEndpoints.payloadTooLarge();
    }
    if (request.body(Again.class).dryRun().orElse(false)) {
      return Answer.ok(fate(task, Outcome.WOULD_REQUEUE));
    }
    Requeue.Made made = requeue.make(task);
    Fate fate = fate(made);
    letters.ifPresent(it -> it.settle(settlements(request, List.of(made))));
    return switch (made.enqueued()) {
      case Enqueued.Created _ -> Answer.accepted(fate);
      case Enqueued.Known _ -> Answer.ok(fate);
      case Enqueued.IdTaken _ -> throw Problem.conflict("id_taken", "Its id is taken.", Map.of());
      case Enqueued.ChannelBusy(String holder) ->
          throw Problem.conflict(
              "channel_busy",
              "The channel has an open task that is to be its only one.",
              Map.of("task_id", holder));
      case Enqueued.QueueFull _ -> throw TaskEndpoints.queueFull();
    };
  }

  private Answer requeue(Request request) throws InterruptedException {
    Selection selection = request.body(Selection.class);
    Chosen chosen = choose(request, selection);
    List<Fate> fates = new ArrayList<>(chosen.others());
    List<Task> fit = chosen.dead().stream().filter(Requeue::fits).toList();
    chosen.dead().stream()
        .filter(task -> !Requeue.fits(task))
        .forEach(task -> fates.add(fate(task, Outcome.PAYLOAD_TOO_LARGE)));
    if (selection.dry()) {
      fit.forEach(task -> fates.add(fate(task, Outcome.WOULD_REQUEUE)));
      return Answer.ok(new Settled(true, fates, chosen.more()));
    }
    Requeue.Several several = requeue.make(fit);
    letters().settle(settlements(request, several.made()));
    if (several.failure().isPresent()) {
      throw several.failure().get();
    }
    several.made().forEach(made -> fates.add(fate(made)));
    return Answer.accepted(new Settled(false, fates, chosen.more()));
  }

  private Answer discard(Request request) {
    Selection selection = request.body(Selection.class);
    Chosen chosen = choose(request, selection);
    Outcome outcome = selection.dry() ? Outcome.WOULD_DISCARD : Outcome.DISCARDED;
    if (!selection.dry()) {
      letters()
          .settle(
              chosen.dead().stream()
                  .map(
                      task ->
                          new Settlement(
                              task.id(), Optional.empty(), task.userId(), request.caller().scope()))
                  .toList());
    }
    List<Fate> fates = new ArrayList<>(chosen.others());
    chosen.dead().forEach(task -> fates.add(fate(task, outcome)));
    return Answer.ok(new Settled(selection.dry(), fates, chosen.more()));
  }

  private Chosen choose(Request request, Selection selection) {
    DeadLetters all = letters();
    if (selection.ids().isPresent()) {
      return named(request, all, List.copyOf(new LinkedHashSet<>(selection.ids().get())));
    }
    int limit = selection.limit().orElse(Page.DEFAULT_LIMIT);
    List<Task> found =
        all.list(
            new Filter(
                TaskAccess.owner(request),
                selection.state().map(TaskState::valueOf),
                selection.region(),
                selection.channel(),
                selection.type()),
            Optional.empty(),
            limit + 1);
    boolean more = found.size() > limit;
    return new Chosen(more ? found.subList(0, limit) : found, List.of(), more);
  }

  private static Chosen named(Request request, DeadLetters all, List<String> ids) {
    Map<String, Task> tasks = all.named(ids);
    Map<String, Optional<String>> settled = all.settled(ids);
    List<Task> dead = new ArrayList<>();
    List<Fate> others = new ArrayList<>();
    for (String id : ids) {
      @Nullable Task task = tasks.get(id);
      Optional<String> instead = settled.getOrDefault(id, Optional.empty());
      if (task == null || !TaskAccess.sees(request.caller(), task.userId())) {
        others.add(new Fate(id, Outcome.UNKNOWN, Optional.empty()));
      } else if (!DeadLetters.dead(task)) {
        others.add(fate(task, Outcome.NOT_DEAD));
      } else if (instead.isPresent()) {
        others.add(new Fate(id, Outcome.ALREADY, instead));
      } else {
        dead.add(task);
      }
    }
    return new Chosen(dead, others, false);
  }

  private static List<Settlement> settlements(Request request, List<Requeue.Made> made) {
    return made.stream()
        .filter(
            it ->
                switch (it.enqueued()) {
                  case Enqueued.Created _, Enqueued.Known _ -> true;
                  case Enqueued.IdTaken _, Enqueued.ChannelBusy _, Enqueued.QueueFull _ -> false;
                })
        .map(
            it ->
                new Settlement(
                    it.task().id(),
                    Optional.of(it.instead().id()),
                    it.task().userId(),
                    request.caller().scope()))
        .toList();
  }

  private static Fate fate(Requeue.Made made) {
    Optional<String> instead = Optional.of(made.instead().id());
    return switch (made.enqueued()) {
      case Enqueued.Created _ -> new Fate(made.task().id(), Outcome.REQUEUED, instead);
      case Enqueued.Known _ -> new Fate(made.task().id(), Outcome.ALREADY, instead);
      case Enqueued.IdTaken _ -> fate(made.task(), Outcome.UNKNOWN);
      case Enqueued.ChannelBusy(String holder) ->
          new Fate(made.task().id(), Outcome.CHANNEL_BUSY, Optional.of(holder));
      case Enqueued.QueueFull _ -> fate(made.task(), Outcome.QUEUE_FULL);
    };
  }

  private static Fate fate(Task task, Outcome outcome) {
    return new Fate(task.id(), outcome, Optional.empty());
  }

  private DeadLetters letters() {
    return letters.orElseThrow(NoLedger::deadLetters);
  }
}
