package io.convoke.chaos.dispatch;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskReply;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Clients that enqueue tasks, retry, and stop tasks, spread over the servers. They record the
 * responses with their times.
 */
final class TaskClients {
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** A later answer may be of a Redis that has lost the command meanwhile. */
  private static final Duration AT_ONCE = Duration.ofMillis(300);

  /** How long patient clients retry: longer than any server's restart. */
  private static final Duration PATIENCE = Duration.ofSeconds(75);

  /** The token of every task, which only pods may see; work.sh expects it. */
  static final String TOKEN = "chaos-token";

  private final ApiClient admin;
  private final ApiClient.CreatedUser customer;
  private final List<URI> urls;
  private final List<ChaosProgram> servers;
  private final SplittableRandom random;
  private final ApiComparisons looks;
  private final List<PlannedTask> wanted = new ArrayList<>();
  private final List<RequestedTask> requestedTasks = new ArrayList<>();
  private final List<TaskReply> answers = new ArrayList<>();
  private final List<StopCall> stops = new ArrayList<>();

  TaskClients(DispatchCluster cluster, ApiComparisons looks, long seed) {
    this.looks = looks;
    this.urls = cluster.servers().urls();
    this.admin = cluster.servers().admin();
    this.customer = admin.newUser("customer@example.com", 1);
    this.servers = cluster.servers().programs();
    this.random = new SplittableRandom(seed);
  }

  /** Enqueues a task with its repeats and stops; returns when done. */
  void want(PlannedTask task) {
    note(requestedTasks, task.requested());
    note(wanted, task);
    Optional<ApiReply> first = task.server().flatMap(server -> post(task, server));
    boolean refused = task.server().isPresent() && first.isEmpty() && !task.patient();
    Optional<String> id = first.isPresent() ? id(first) : refused ? Optional.empty() : ask(task);
    if (id.isEmpty()) {
      return;
    }
    Instant accepted = Instant.now();
    look(task, id.get());
    for (Duration after : task.stops()) {
      awaitTime(accepted.plus(after));
      stop(task, id.get());
    }
    for (int i = 0; i < task.times(); i++) {
      LockSupport.parkNanos(Duration.ofMillis(next(1500)).toNanos());
      var _ = post(task, server());
    }
  }

  /** Requests a task until it is accepted; empty if it is refused. */
  Optional<String> accepted(PlannedTask task) {
    requested(task);
    return ask(task);
  }

  /** Notes a task that a server makes by itself. */
  void requested(PlannedTask task) {
    note(requestedTasks, task.requested());
    note(wanted, task);
  }

  /** Looks at a task that was accepted, which is there from then on. */
  private void look(PlannedTask task, String id) {
    ApiReply reply = caller(task).at(urls.get(server())).get("/tasks/" + id);
    if (reply.status() != 0 && reply.status() != 503) {
      looks.compare("an accepted task", TaskText.asked(task, id), TaskText.shown(reply.body()));
    }
  }

  /** All tasks that were requested, as planned. */
  List<PlannedTask> wanted() {
    return copy(wanted);
  }

  /** Requests a task for a channel that another holds; the answer is to name that one. */
  void refused(PlannedTask task, String holder) {
    note(requestedTasks, task.requested());
    ApiReply reply = looks.ask(caller(task), api -> api.post("/tasks", body(task)));
    looks.compare(
        "unique task of a channel that is taken",
        "409 channel_busy " + holder,
        reply.status()
            + " "
            + reply.body().path("code").asString("")
            + " "
            + reply.body().path("task_id").asString(""));
  }

  /**
   * Result of a drain or resume request.
   *
   * @param status 202, 404 if the pod is not running, or that of the last attempt
   * @param once whether every attempt was answered; an unanswered one may still take effect at any
   *     time
   */
  record PodCommandReply(int status, boolean once) {}

  /** Drains or resumes a pod. */
  PodCommandReply sendPodCommand(String pod, String what) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    int status = 0;
    boolean once = true;
    while (status != 202 && status != 404 && System.nanoTime() - end < 0) {
      long sent = System.nanoTime();
      ApiReply reply = admin.at(urls.get(server())).post("/pods/" + pod + "/" + what, Map.of());
      status = reply.status();
      if (status == 202 && System.nanoTime() - sent < AT_ONCE.toNanos()) {
        looks.compare(
            what + " of a pod", what.equals("drain"), reply.body().path("draining").asBoolean());
      }
      if (status == 0 || status >= 500) {
        once = false;
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    return new PodCommandReply(status, once);
  }

  List<RequestedTask> requestedTasks() {
    return copy(requestedTasks);
  }

  List<TaskReply> answers() {
    return copy(answers);
  }

  List<StopCall> stops() {
    return copy(stops);
  }

  ApiClient admin() {
    return admin;
  }

  /** A user whose tasks are about half of all. */
  ApiClient.CreatedUser customer() {
    return customer;
  }

  /** The same for all tasks of a channel. */
  ApiClient caller(PlannedTask task) {
    return ofCustomer(task) ? customer.api() : admin;
  }

  /** Whether the customer requests it, and not the operator. */
  boolean ofCustomer(PlannedTask task) {
    return task.channel().hashCode() % 2 == 0;
  }

  /** A ready server, or any if none is. */
  int server() {
    for (int i = 0; i < 3 * servers.size(); i++) {
      int server = next(servers.size());
      if (servers.get(server).works()) {
        return server;
      }
    }
    return next(servers.size());
  }

  private Optional<String> ask(PlannedTask task) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    boolean again = true;
    while (again) {
      Optional<ApiReply> reply = post(task, server());
      if (reply.isPresent()) {
        return id(reply);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
      again = task.patient() && System.nanoTime() - end < 0;
    }
    return Optional.empty();
  }

  private static Optional<String> id(Optional<ApiReply> reply) {
    return reply.filter(ApiReply::ok).map(it -> it.body().path("id").asString(""));
  }

  /** Empty for a response that carries no result. */
  private Optional<ApiReply> post(PlannedTask task, int server) {
    Instant sent = Instant.now();
    ApiReply apiReply = caller(task).at(urls.get(server)).post("/tasks", body(task));
    String id = apiReply.ok() ? apiReply.body().path("id").asString("") : "";
    note(
        answers, new TaskReply(task.request(), server, apiReply.status(), id, sent, Instant.now()));
    if (apiReply.ok()) {
      looks.compare(
          "the answer " + apiReply.status() + " to a request",
          TaskText.asked(task, id),
          TaskText.shown(apiReply.body()));
    }
    return Optional.of(apiReply).filter(it -> it.ok() || it.status() == 409);
  }

  /** Requests its stop until a server acknowledges it. */
  void stop(PlannedTask task, String id) {
    stop(task, id, this::server);
  }

  /** The same, each request to the server of the next number. */
  void stop(PlannedTask task, String id, IntSupplier asked) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      int server = asked.getAsInt();
      Instant sent = Instant.now();
      ApiReply apiReply =
          caller(task).at(urls.get(server)).post("/tasks/" + id + "/stop", Map.of());
      note(stops, new StopCall(id, server, apiReply.status(), sent, Instant.now()));
      if (apiReply.ok()) {
        looks.compare(
            "the answer to a stop", TaskText.asked(task, id), TaskText.shown(apiReply.body()));
        return;
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  static Map<String, Object> body(PlannedTask task) {
    Map<String, Object> body = new HashMap<>();
    task.id().ifPresent(id -> body.put("id", id));
    task.region().ifPresent(region -> body.put("region", region));
    if (task.unique()) {
      body.put("unique", "channel");
    }
    body.put("request_id", task.request());
    body.put("type", task.type());
    body.put("action", "start");
    body.put("channel", task.channel());
    Map<String, String> token = Map.of("access_token", TOKEN);
    body.put(
        "payload",
        Map.of(
            "fate",
            task.faultPlan().description(),
            "access_token",
            TOKEN,
            "outputs",
            List.of(token)));
    return body;
  }

  private static void awaitTime(Instant at) {
    for (Instant now = Instant.now(); now.isBefore(at); now = Instant.now()) {
      LockSupport.parkNanos(Duration.between(now, at).toNanos());
    }
  }

  private int next(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  private static <T> void note(List<T> all, T one) {
    synchronized (all) {
      boolean _ = all.add(one);
    }
  }

  private static <T> List<T> copy(List<T> all) {
    synchronized (all) {
      return List.copyOf(all);
    }
  }
}
