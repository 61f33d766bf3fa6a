package io.convoke.chaos.dispatch;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Looks at everything that servers show of tasks, once all have ended and no fault is left. */
final class TaskReads {
  private static final int PAGE = 40;

  /** So few that pages end between tasks that were accepted at the same moment. */
  private static final int FEW = 3;

  private static final int SELECTED = 2;

  /** What a call may take, between two clocks of one machine. */
  private static final Duration GRAIN = Duration.ofSeconds(1);

  /** A task waits for so long, in a queue of old tasks by then. */
  private static final Duration OLD = DispatchRunConfig.OVERFLOW.plusSeconds(1);

  /** Just more than a payload may have. */
  private static final int TOO_LARGE = 65_536;

  /** A pod that was killed while it had no task stays listed so long. */
  private static final Duration LISTED = Duration.ofSeconds(70);

  private static final Duration SHORT = Duration.ofMillis(200);
  private static final Duration LONG = Duration.ofSeconds(20);

  /** A filter of lists, and the rows that it stands for. */
  private static final Map<String, String> FILTERS =
      Map.of(
          "", "true",
          "&state=SUCCESS", "state = 'SUCCESS'",
          "&state=FAILED", "state = 'FAILED'",
          "&region=global", "region is null",
          "&region=us-east-1", "region = 'us-east-1'",
          "&channel=room-3", "channel = 'room-3'",
          "&type=caption", "spec ->> 'type' = 'caption'");

  private static final String DEAD =
      "state in ('FAILED', 'TIMEOUT') and desired = 'run' and not exists"
          + " (select from convoke.task_settlements s where s.task_id = tasks.id)";

  private final ApiComparisons looks;
  private final TaskClients clients;
  private final ApiClient stranger;
  private final URI server;
  private final TaskRows rows;

  TaskReads(
      ApiComparisons looks, TaskClients clients, ApiClient stranger, URI server, TaskRows rows) {
    this.looks = looks;
    this.clients = clients;
    this.stranger = stranger;
    this.server = server;
    this.rows = rows;
  }

  /**
   * Unique tasks of one channel, one after the other: each is refused while the one before is open,
   * and accepted once that has ended, in whatever way.
   */
  void uniqueInTurn(long seed) {
    List<TaskFaultPlan> ends = new ArrayList<>();
    ends.add(new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, SHORT, 0));
    TaskFaultPlan failing = new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, SHORT, 0);
    ends.add(failing);
    // The answer to its stop is not what its program would have ended with.
    ends.add(new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.FAILS, LONG, 0));
    if (DispatchRunConfig.typed(seed)) {
      ends.add(DispatchPlanner.NONE);
    }
    ends.add(ends.getFirst());
    for (int i = 0; i < ends.size(); i++) {
      PlannedTask task = unique("req-solo%d-%d".formatted(seed, i), ends.get(i));
      Optional<String> id = clients.accepted(task);
      looks.compare("unique task after one that ended", true, id.isPresent());
      if (id.isPresent() && task.faultPlan().end() == RequestedTask.ProgramEnd.NEVER_BEGINS) {
        ofAnother(task, id.get());
        looks.soon(clients.admin(), "/regions", true, TaskReads::waitsLong);
      }
      if (id.isPresent() && ends.get(i).work().equals(LONG)) {
        clients.refused(unique("req-solo%d-refused".formatted(seed), ends.getFirst()), id.get());
        clients.stop(task, id.get());
      }
      id.ifPresent(_ -> looks.soon(clients.admin(), "/tasks?channel=solo", 0, TaskReads::open));
      if (id.isPresent() && ends.get(i).equals(failing)) {
        requeued(task, id.get());
        looks.soon(clients.admin(), "/tasks?channel=solo", 0, TaskReads::open);
      }
    }
  }

  /** What servers show of a task that runs, and of its pod. */
  void running(String id) {
    JsonNode task = task(id);
    Instant now = Instant.now();
    if (task.path("state").asString("").equals("PROCESSING")) {
      String end = task.path("lease_expiry").asString("1970-01-01T00:00:00Z");
      Duration left = Duration.between(now, Instant.parse(end));
      looks.compare(
          "a running task has " + left + " of its lease",
          true,
          left.plus(GRAIN).isPositive()
              && left.minus(GRAIN).compareTo(DispatchRunConfig.LEASE) <= 0);
      String pod = task.path("pod_id").asString("");
      looks.soon(clients.admin(), "/pods?limit=200", true, list -> works(list, pod));
    }
  }

  /** Whether a pod is listed with a task, and each slot is free or not. */
  private static String works(JsonNode list, String name) {
    return Boolean.toString(
        list.path("items")
            .valueStream()
            .filter(pod -> pod.path("pod_id").asString("").equals(name))
            .anyMatch(
                pod ->
                    pod.path("processing").asInt() > 0
                        && pod.path("processing").asInt() + pod.path("free_slots").asInt()
                            == DispatchRunConfig.SLOTS
                        && pod.path("slots").asInt() == DispatchRunConfig.SLOTS));
  }

  /** Pods that were stopped are not listed any more, unless Redis still knows a task of theirs. */
  void gone(List<String> pods) {
    JsonNode listed = looks.ask(clients.admin(), api -> api.get("/pods?limit=200")).body();
    looks.compare(
        "pods that were stopped",
        List.of(),
        listed
            .path("items")
            .valueStream()
            .filter(pod -> pods.contains(pod.path("pod_id").asString("")))
            .filter(pod -> pod.path("processing").asInt() == 0)
            .map(JsonNode::toString)
            .toList());
  }

  /** States and attempts of tasks. */
  void ended(String what, List<String> expected, List<String> ids) {
    looks.compare(
        what,
        expected,
        ids.stream()
            .map(this::task)
            .map(task -> task.path("state").asString("") + " " + task.path("attempt").asInt())
            .toList());
  }

  /** The pod that runs a task; empty without one. */
  String podOf(String id) {
    return task(id).path("pod_id").asString("");
  }

  int attemptOf(String id) {
    return task(id).path("attempt").asInt();
  }

  String stateOf(String id) {
    return task(id).path("state").asString("");
  }

  private JsonNode task(String id) {
    return looks.ask(clients.admin(), api -> api.get("/tasks/" + id)).body();
  }

  /** Another user's request with the same id, in the same channel, is a task of its own. */
  private void ofAnother(PlannedTask task, String id) {
    Map<String, Object> body = TaskClients.body(task);
    ApiReply reply = looks.ask(stranger, api -> api.post("/tasks", body));
    String own = reply.body().path("id").asString("");
    looks.compare(
        "another user's task with the same request id",
        true,
        reply.ok() && !own.isEmpty() && !own.equals(id));
    repeated(stranger, body, own);
    repeated(clients.caller(task), body, id);
    looks.post(stranger, "/tasks/" + own + "/stop", Map.of(), "202");
  }

  /** A request that is repeated finds the task of its own user. */
  private void repeated(ApiClient caller, Map<String, Object> body, String id) {
    ApiReply reply = looks.ask(caller, api -> api.post("/tasks", body));
    looks.compare(
        "the answer to a request that another user made, too",
        "200 " + id,
        reply.status() + " " + reply.body().path("id").asString(""));
  }

  /** Requeues a dead letter twice, which makes one new task of the same kind. */
  private void requeued(PlannedTask task, String id) {
    String path = "/tasks/" + id + "/requeue";
    looks.post(stranger, path, Map.of(), "404");
    ApiReply first = looks.ask(clients.caller(task), api -> api.post(path, Map.of()));
    String instead = first.body().path("task_id").asString("");
    clients.requested(task.inChannel("requeue." + instead, task.channel()));
    ApiReply again = looks.ask(clients.caller(task), api -> api.post(path, Map.of()));
    looks.compare(
        "the answer to a second requeue", "200 already " + instead, outcome(again, again.body()));
  }

  private static String outcome(ApiReply reply, JsonNode result) {
    return String.join(
        " ",
        Integer.toString(reply.status()),
        result.path("outcome").asString(""),
        result.path("task_id").asString(""));
  }

  /** Discards a dead letter, which then is none. */
  private void discarded() throws SQLException {
    List<String> dead = rows.ids(DEAD);
    if (!dead.isEmpty()) {
      String id = dead.getFirst();
      discard(stranger, id, false, "unknown");
      discard(clients.admin(), id, true, "would_discard");
      looks.compare("a dead letter that was not discarded", true, listed(id));
      discard(clients.admin(), id, false, "discarded");
      looks.compare("a discarded dead letter", false, listed(id));
      looks.compare("events of it", 1, rows.events("task.discarded", id));
    }
  }

  private void discard(ApiClient caller, String id, boolean dry, String outcome) {
    Map<String, Object> body = Map.of("ids", List.of(id), "dry_run", dry);
    ApiReply reply = looks.ask(caller, api -> api.post("/dead-letters/tasks/discard", body));
    looks.compare(
        "the discard of a dead letter",
        "200 " + outcome,
        outcome(reply, reply.body().path("items").path(0)).strip());
  }

  private boolean listed(String id) {
    return looks
        .ask(clients.admin(), api -> api.get("/dead-letters/tasks?limit=200"))
        .body()
        .path("items")
        .valueStream()
        .anyMatch(task -> task.path("id").asString("").equals(id));
  }

  /** Number of tasks of a list that have not ended, as text. */
  private static String open(JsonNode list) {
    return Long.toString(
        list.path("items")
            .valueStream()
            .filter(task -> task.path("completed_at").isNull())
            .count());
  }

  private static PlannedTask unique(String request, TaskFaultPlan end) {
    return new PlannedTask(
        Duration.ZERO,
        request,
        Optional.empty(),
        end.equals(DispatchPlanner.NONE) ? DispatchPlanner.UNTAKEN : "record",
        "solo",
        end.equals(DispatchPlanner.NONE)
            ? Optional.of(DispatchRunConfig.REGIONS.getFirst())
            : Optional.empty(),
        true,
        end,
        true,
        0,
        List.of(),
        Optional.empty());
  }

  /**
   * Reads all.
   *
   * @param idlePods what {@code /pods} must show; empty if that is not known
   * @param losses when Redis may have lost what the journal has not
   */
  void read(Optional<Map<String, Integer>> idlePods, List<RecoveryOutage> losses)
      throws SQLException {
    List<TaskRow> tasks = rows.tasks();
    requests(tasks);
    Map<String, PlannedTask> planned =
        clients.wanted().stream().collect(Collectors.toMap(PlannedTask::request, it -> it));
    Map<String, String> ends = rows.ends();
    Map<String, String> owners = rows.owners();
    for (TaskRow row : tasks) {
      PlannedTask task = planned.get(row.request());
      if (task != null) {
        looks.object(
            clients.admin(),
            "/tasks/" + row.id(),
            TaskText.asked(task, row.id()) + " " + ends.get(row.id()),
            it -> TaskText.shown(it) + " " + TaskText.end(it));
        looks.compare(
            "the owner of " + row,
            clients.ofCustomer(task) ? Long.toString(clients.customer().id()) : "",
            owners.getOrDefault(row.request(), "none"));
        looks.compare("unique of " + row, task.unique(), row.unique());
      }
    }
    looks.compare("events that differ from their task", "[]", rows.wrongEvents());
    looks.compare("tokens that are not sealed", "[]", rows.holding(TaskClients.TOKEN));
    // What Redis lost of a claim is told again with another time.
    Set<String> known =
        tasks.stream()
            .filter(
                row ->
                    losses.stream()
                        .noneMatch(
                            loss ->
                                loss.forgets()
                                    && loss.touches(
                                        row.createdAt(), row.completedAt().orElse(Instant.MAX))))
            .map(TaskRow::id)
            .collect(Collectors.toSet());
    looks.compare(
        "tasks with a wrong processed_at",
        List.of(),
        rows.wronglyBegun().stream().filter(known::contains).toList());
    lists();
    selected();
    discarded();
    if (idlePods.isPresent()) {
      looks.within(LISTED, clients.admin(), "/pods", pods(idlePods.get()), TaskReads::pods);
      looks.soon(clients.admin(), "/regions", regions(idlePods.get()), TaskReads::regions);
    }
  }

  private void lists() throws SQLException {
    Map<ApiClient, String> callers = new HashMap<>();
    callers.put(clients.admin(), "true");
    callers.put(clients.customer().api(), "user_id = " + clients.customer().id());
    for (Map.Entry<ApiClient, String> caller : callers.entrySet()) {
      for (Map.Entry<String, String> filter : FILTERS.entrySet()) {
        String rowsOf = caller.getValue() + " and " + filter.getValue();
        list(caller.getKey(), "/tasks?" + filter.getKey(), rowsOf);
      }
      list(caller.getKey(), "/dead-letters/tasks?", caller.getValue() + " and " + DEAD);
    }
    looks.list(clients.admin(), "/tasks", FEW, TaskText::listed, rows.listed("true"));
    String owned = "user_id = " + clients.customer().id();
    list(clients.admin(), "/tasks?user_id=" + clients.customer().id(), owned);
  }

  /** What a request for dead letters selects: the newest that its filter asks for. */
  private void selected() throws SQLException {
    for (Map.Entry<String, String> rowsOf : FILTERS.entrySet()) {
      String filter = rowsOf.getKey();
      if (filter.isEmpty()) {
        continue;
      }
      String[] parts = filter.substring(1).split("=", -1);
      List<String> dead = rows.ids(DEAD + " and " + rowsOf.getValue());
      Map<String, Object> body = Map.of(parts[0], parts[1], "limit", SELECTED, "dry_run", true);
      ApiReply reply =
          looks.ask(clients.admin(), api -> api.post("/dead-letters/tasks/requeue", body));
      String first =
          dead.stream()
              .limit(SELECTED)
              .map(id -> id + " would_requeue")
              .collect(Collectors.joining(" "));
      looks.compare(
          "dead letters with " + filter,
          first + " " + (dead.size() > SELECTED),
          reply
                  .body()
                  .path("items")
                  .valueStream()
                  .map(
                      item ->
                          item.path("id").asString("") + " " + item.path("outcome").asString(""))
                  .collect(Collectors.joining(" "))
              + " "
              + reply.body().path("more").asBoolean());
    }
  }

  private void list(ApiClient caller, String path, String condition) throws SQLException {
    looks.list(
        caller, path.replace("?&", "?"), PAGE, ApiComparisons.text("id"), rows.ids(condition));
  }

  /** Requests that are to be refused, or to change nothing. */
  private void requests(List<TaskRow> tasks) {
    ApiClient admin = clients.admin();
    ApiClient customer = clients.customer().api();
    List<PlannedTask> wanted = clients.wanted();
    for (TaskRow row : tasks.subList(0, Math.min(tasks.size(), 6))) {
      wanted.stream()
          .filter(task -> task.request().equals(row.request()))
          .findFirst()
          .ifPresent(task -> again(task, row));
    }
    PlannedTask some = wanted.getFirst();
    BiConsumer<Map<String, Object>, String> wrong =
        (change, expected) -> {
          Map<String, Object> body = new HashMap<>(TaskClients.body(some));
          body.put("request_id", "req-wrong");
          body.putAll(change);
          looks.answer(
              customer,
              "a task with " + change.keySet(),
              expected,
              api -> api.post("/tasks", body));
        };
    wrong.accept(Map.of("id", tasks.getFirst().id()), "409 id_taken");
    wrong.accept(Map.of("payload", Map.of("x", "x".repeat(TOO_LARGE))), "413 payload_too_large");
    wrong.accept(Map.of("channel", "a room"), "400");
    wrong.accept(Map.of("action", "pause"), "400");
    wrong.accept(Map.of("region", "global"), "400");
    wrong.accept(Map.of("unique", "room"), "400");
    wrong.accept(Map.of("request_id", "r".repeat(65)), "400");
    looks.get(customer, "/tasks?state=RUNNING", "400");
    looks.get(customer, "/tasks?limit=201", "400");
    looks.get(customer, "/tasks/none-such", "404");
    looks.get(customer, "/pods", "403");
    looks.post(customer, "/pods/none-such/drain", Map.of(), "403");
    looks.post(admin, "/pods/none-such/drain", Map.of(), "404");
    looks.get(ApiClient.user(server, "wrong"), "/tasks", "401");
  }

  /** A request that comes again long after its task has ended, and stops of that task. */
  private void again(PlannedTask task, TaskRow row) {
    ApiReply reply =
        looks.ask(clients.caller(task), api -> api.post("/tasks", TaskClients.body(task)));
    looks.compare(
        "the answer to a request again",
        "200 " + row.id(),
        reply.status() + " " + reply.body().path("id").asString(""));
    if (clients.ofCustomer(task)) {
      String owned = "/tasks?user_id=" + clients.customer().id();
      looks.compare(
          "the answer to a request that the operator repeats for a user",
          row.id(),
          looks
              .ask(clients.admin(), api -> api.post(owned, TaskClients.body(task)))
              .body()
              .path("id")
              .asString(""));
    }
    looks.post(clients.caller(task), "/tasks/" + row.id() + "/stop", Map.of(), "202");
    looks.post(stranger, "/tasks/" + row.id() + "/stop", Map.of(), "404");
  }

  private static String pods(JsonNode list) {
    return list.path("items")
        .valueStream()
        .map(
            pod ->
                String.join(
                    " ",
                    pod.path("region").asString(),
                    pod.path("slots").asString(),
                    pod.path("free_slots").asString(),
                    pod.path("processing").asString(),
                    pod.path("draining").asString()))
        .toList()
        .toString();
  }

  private static String pods(Map<String, Integer> pods) {
    String idle = " %1$d %1$d 0 false".formatted(DispatchRunConfig.SLOTS);
    return pods.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(of -> Collections.nCopies(of.getValue(), of.getKey() + idle).stream())
        .toList()
        .toString();
  }

  /** Whether the first region shows a task that has waited for long. */
  private static String waitsLong(JsonNode list) {
    return Boolean.toString(
        list.path("items")
            .valueStream()
            .filter(
                it -> it.path("region").asString("").equals(DispatchRunConfig.REGIONS.getFirst()))
            .anyMatch(
                region ->
                    region.path("pending").asInt() > 0
                        && region.path("oldest_pending_ms").asLong() >= OLD.toMillis()));
  }

  private static String regions(JsonNode list) {
    return list.path("items")
            .valueStream()
            .filter(region -> DispatchRunConfig.REGIONS.contains(region.path("region").asString()))
            .map(
                region ->
                    String.join(
                        " ",
                        region.path("region").asString(),
                        region.path("pods").asString(),
                        region.path("slots").asString(),
                        region.path("free_slots").asString(),
                        region.path("pending").asString(),
                        region.path("processing").asString(),
                        region.path("oldest_pending_ms").asString()))
            .toList()
        + " "
        + list.path("terms").toString();
  }

  private static String regions(Map<String, Integer> pods) {
    return pods.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(
                region ->
                    "%s %d %d %d 0 0 0"
                        .formatted(
                            region.getKey(),
                            region.getValue(),
                            region.getValue() * DispatchRunConfig.SLOTS,
                            region.getValue() * DispatchRunConfig.SLOTS))
            .toList()
        + " {\"task_timeout_ms\":%d,\"lease_ms\":%d,\"max_attempts\":%d}"
            .formatted(
                DispatchRunConfig.WINDOW.toMillis(),
                DispatchRunConfig.LEASE.toMillis(),
                DispatchRunConfig.ATTEMPTS);
  }
}
