package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.TimedGoal;
import io.convoke.chaos.dispatch.rules.FinalTaskView;
import io.convoke.chaos.dispatch.rules.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskChecker;
import io.convoke.chaos.dispatch.rules.TaskHistory;
import io.convoke.chaos.dispatch.rules.TaskRow;
import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import io.convoke.fakes.client.ApiReply;
import io.convoke.fakes.client.EventStreamReader;
import io.convoke.fakes.client.StreamedEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One run: the storm, then no more faults until every task has ended; then gathers and checks the
 * history.
 */
final class DispatchRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);
  private static final Duration STREAM_MAX = Duration.ofSeconds(10);

  /** Interval of extra tasks: while any is active, servers recover what a dead one accepted. */
  private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(7);

  /** Redis keys that must be empty at the end. */
  private static final List<String> EMPTY =
      List.of(
          "convoke:queue:*",
          "convoke:dispatch:order:*",
          "convoke:dispatch:heads:*",
          "convoke:dispatch:leases:*",
          "convoke:dispatch:stops:*");

  private final DispatchPlan dispatchPlan;
  private final ChaosEnvironment chaosEnvironment;
  private final DispatchCluster dispatchCluster;
  private final TaskObservations taskObservations;
  private final Path folder;
  private final TaskRows taskRows;
  private final TaskClients taskClients;
  private final DispatchFaultLog dispatchFaultLog = new DispatchFaultLog();
  private final EventStreamReader reader;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  DispatchRun(
      DispatchPlan dispatchPlan,
      ChaosEnvironment chaosEnvironment,
      DispatchCluster dispatchCluster,
      TaskObservations taskObservations,
      Path folder)
      throws SQLException {
    this.dispatchPlan = dispatchPlan;
    this.chaosEnvironment = chaosEnvironment;
    this.dispatchCluster = dispatchCluster;
    this.taskObservations = taskObservations;
    this.folder = folder;
    this.taskRows =
        new TaskRows(chaosEnvironment.stores().postgres().connect(dispatchCluster.database()));
    this.taskClients = new TaskClients(dispatchCluster, dispatchPlan.seed());
    this.reader = EventStreamReader.start(taskClients.admin(), dispatchCluster.urls());
  }

  RunReport carryOut(Duration faultPhase) throws SQLException, IOException, InterruptedException {
    CompletableFuture<?> customersDone = faultPhase(faultPhase);
    long quiet = System.nanoTime();
    boolean over = awaitTheEnd(customersDone, quiet);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    TaskHistory history = history();
    List<RuleViolation> findings = new ArrayList<>(TaskChecker.check(history));
    if (history.rows().isEmpty()) {
      findings.add(
          new RuleViolation(
              ViolationKind.NOT_CONVERGED, "no task was accepted, so nothing was checked"));
    }
    if (!over && findings.isEmpty()) {
      findings.add(new RuleViolation(ViolationKind.NOT_CONVERGED, "correct but too late"));
    }
    if (!findings.isEmpty()) {
      TaskHistoryFile.write(history, folder);
    }
    return new RunReport(
        dispatchPlan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(
            dispatchFaultLog.kills() + " kills", history.rows().size() + " tasks " + ends(history)),
        notes(history),
        folder,
        List.of(
            new TimedGoal(
                "reassignment of a silent pod's task, after 3 s of silence",
                Optional.empty(),
                TaskChecker.stranded(history)),
            new TimedGoal(
                "rebuilt from the database, after Redis was back",
                Optional.empty(),
                dispatchFaultLog.compared())));
  }

  @Override
  public void close() throws SQLException {
    reader.close();
    var _ = threads.shutdownNow();
    taskRows.close();
  }

  /** Executes the plan on time; clients may finish later. */
  private CompletableFuture<?> faultPhase(Duration span) {
    long start = System.nanoTime();
    FaultInjector faultInjector =
        new FaultInjector(
            dispatchPlan,
            dispatchCluster,
            chaosEnvironment.stores(),
            taskObservations,
            taskClients,
            dispatchFaultLog,
            threads);
    List<CompletableFuture<?>> wanted = new ArrayList<>();
    for (PlannedTask plannedTask : dispatchPlan.orders()) {
      wanted.add(
          CompletableFuture.runAsync(
              () -> {
                awaitTime(plannedTask.at(), start);
                taskClients.want(plannedTask);
              },
              threads));
    }
    CompletableFuture<?>[] broken =
        dispatchPlan.faults().stream()
            .map(
                dispatchFault ->
                    CompletableFuture.runAsync(
                        () -> {
                          awaitTime(dispatchFault.at(), start);
                          faultInjector.inject(dispatchFault);
                        },
                        Thread.ofPlatform()::start))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(broken).join();
    awaitTime(span, start);
    Stream.concat(dispatchCluster.servers().stream(), dispatchCluster.pods().stream())
        .forEach(
            clusterProcess -> {
              boolean _ = clusterProcess.startAgain();
              var _ = clusterProcess.awaitReady();
            });
    return CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
  }

  private static void awaitTime(Duration at, long start) {
    long left = at.toNanos() - (System.nanoTime() - start);
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = at.toNanos() - (System.nanoTime() - start);
    }
  }

  /** Waits until every task has ended and Redis holds none, or a timeout. */
  private boolean awaitTheEnd(CompletableFuture<?> customersDone, long quiet) throws SQLException {
    long deadline = quiet + DispatchRunConfig.END_MAX.toNanos();
    int signs = 0;
    CompletableFuture<?> wanted = customersDone;
    while (System.nanoTime() - deadline < 0) {
      if (wanted.isDone() && taskRows.open() == 0 && left().isEmpty()) {
        return true;
      }
      long past = System.nanoTime() - quiet;
      if (past > signs * SIGN_OF_LIFE.toNanos() && taskRows.open() > 0) {
        signs++;
        PlannedTask plannedTask = sign(signs);
        wanted =
            CompletableFuture.allOf(
                wanted, CompletableFuture.runAsync(() -> taskClients.want(plannedTask), threads));
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private PlannedTask sign(int number) {
    return new PlannedTask(
        Duration.ZERO,
        "req-t%d-sign-%d".formatted(dispatchPlan.seed(), number),
        Optional.empty(),
        "record",
        "sign",
        Optional.empty(),
        false,
        new TaskFaultPlan(TaskFaultPlan.TaskFaultKind.SUCCEEDS, SIGN_OF_LIFE.minusSeconds(1), 0),
        true,
        0,
        List.of());
  }

  private List<String> left() {
    return EMPTY.stream()
        .flatMap(pattern -> chaosEnvironment.stores().redis().keys(pattern).stream())
        .map(key -> "Redis still has " + key)
        .toList();
  }

  private TaskHistory history() throws SQLException, IOException, InterruptedException {
    List<ObservedTransition> transitions = taskRows.transitions();
    List<TaskRow> tasks = taskRows.tasks();
    if (!transitions.isEmpty()) {
      boolean _ = reader.awaitSeq(transitions.getLast().seq(), STREAM_MAX);
    }
    return new TaskHistory(
        taskClients.requestedTasks(),
        taskClients.answers(),
        taskClients.stops(),
        taskObservations.attempts(),
        transitions,
        reader.events().stream()
            .filter(event -> event.type().startsWith("task."))
            .map(StreamedEvent::seq)
            .toList(),
        tasks,
        tasks.stream().map(this::shown).toList(),
        dispatchFaultLog.silences(),
        dispatchFaultLog.drained(),
        dispatchFaultLog.troubles(dispatchPlan.servers()),
        left(),
        DispatchRunConfig.LIMITS);
  }

  /** A server's view of a task. */
  private FinalTaskView shown(TaskRow taskRow) {
    int server = taskClients.server();
    var apiClient = taskClients.admin().at(dispatchCluster.urls().get(server));
    ApiReply task = apiClient.get("/tasks/" + taskRow.id());
    ApiReply timeline = apiClient.get("/tasks/" + taskRow.id() + "/timeline?limit=200");
    return new FinalTaskView(
        taskRow.id(),
        server,
        task.ok() ? timeline.status() : task.status(),
        task.body().path("state").asString(""),
        task.body().path("attempt").asInt(),
        task.body().path("error").asString(""),
        timeline.body().path("items").valueStream().map(it -> it.path("seq").asLong()).toList());
  }

  private static Map<String, Integer> ends(TaskHistory history) {
    Map<String, Integer> ends = new TreeMap<>();
    history.rows().forEach(taskRow -> ends.merge(taskRow.state(), 1, Integer::sum));
    return ends;
  }

  private List<String> notes(TaskHistory history) {
    List<String> notes = new ArrayList<>(dispatchFaultLog.remarks());
    long again = history.attempts().stream().filter(it -> it.number() > 1).count();
    long unanswered = history.answers().stream().filter(it -> it.status() == 0).count();
    notes.add(
        "%d attempts, %d of them retries; %d requests, %d unanswered, %d stops; %d transitions over %d connections"
            .formatted(
                history.attempts().size(),
                again,
                history.answers().size(),
                unanswered,
                history.stops().size(),
                history.transitions().size(),
                reader.connections()));
    Stream.concat(dispatchCluster.servers().stream(), dispatchCluster.pods().stream())
        .filter(
            clusterProcess ->
                dispatchPlan.clocks().containsKey(clusterProcess.name())
                    && !clusterProcess.skewed())
        .forEach(
            clusterProcess ->
                notes.add("not injected: no libfaketime for " + clusterProcess.name()));
    return notes;
  }
}
