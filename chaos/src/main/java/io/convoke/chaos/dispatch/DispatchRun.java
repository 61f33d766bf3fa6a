package io.convoke.chaos.dispatch;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.TimedGoal;
import io.convoke.chaos.dispatch.rules.FinalTaskView;
import io.convoke.chaos.dispatch.rules.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.ObservedTransition;
import io.convoke.chaos.dispatch.rules.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskChecker;
import io.convoke.chaos.dispatch.rules.TaskHistory;
import io.convoke.chaos.dispatch.rules.TaskRow;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * One run: the storm, then no more faults until every task has ended; then gathers and checks the
 * history.
 */
final class DispatchRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** From the return of Redis until a server has compared it with the task table. */
  private static final Duration COMPARED_MAX = Duration.ofSeconds(10);

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
  private final FaultTimeline timeline = new FaultTimeline();
  private final DispatchFaultLog dispatchFaultLog = new DispatchFaultLog(timeline);
  private final EventStreams streams;
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
        new TaskRows(
            new LastingConnection(
                chaosEnvironment.stores().postgres(), dispatchCluster.servers().database()));
    this.taskClients = new TaskClients(dispatchCluster, dispatchPlan.seed());
    this.streams = new EventStreams(taskClients.admin(), dispatchCluster.servers().urls());
    streams.add(taskClients.admin().newUser("stranger@example.com", 1));
  }

  RunReport carryOut(Duration faultPhase) throws SQLException, IOException, InterruptedException {
    CompletableFuture<?> customersDone = faultPhase(faultPhase);
    long quiet = System.nanoTime();
    boolean over = awaitTheEnd(customersDone, quiet);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    TaskHistory history = history();
    List<RuleViolation> findings = new ArrayList<>(TaskChecker.check(history));
    if (dispatchFaultLog.compared().stream().anyMatch(it -> it.compareTo(COMPARED_MAX) > 0)) {
      findings.add(
          new RuleViolation(
              ViolationKind.LATE,
              "Redis was compared with the task table late: " + dispatchFaultLog.compared(),
              "ComparisonRule"));
    }
    if (!over && findings.isEmpty()) {
      findings.add(ViolationKind.NOT_CONVERGED.found("correct but too late"));
    }
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
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
        coverage(history),
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
    streams.close();
    var _ = threads.shutdownNow();
    taskRows.close();
  }

  /** Executes the plan on time; clients may finish later. */
  private CompletableFuture<?> faultPhase(Duration span) {
    RunClock start = new RunClock();
    FaultInjector faultInjector =
        new FaultInjector(
            chaosEnvironment,
            dispatchCluster,
            timeline,
            taskObservations,
            taskClients,
            dispatchFaultLog);
    List<CompletableFuture<?>> wanted = new ArrayList<>();
    for (PlannedTask plannedTask : dispatchPlan.orders()) {
      wanted.add(
          CompletableFuture.runAsync(
              () -> {
                start.await(plannedTask.at());
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
                          start.await(dispatchFault.at());
                          faultInjector.inject(dispatchFault);
                          dispatchFaultLog.done();
                        },
                        Thread.ofPlatform()::start))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(broken).join();
    start.await(span);
    dispatchCluster.all().forEach(ChaosProgram::restart);
    return CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
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
    return PlannedTask.plain(
        Duration.ZERO,
        "req-t%d-sign-%d".formatted(dispatchPlan.seed(), number),
        SIGN_OF_LIFE.minusSeconds(1),
        true,
        Optional.empty());
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
    return new TaskHistory(
        taskClients.requestedTasks(),
        taskClients.answers(),
        taskClients.stops(),
        taskObservations.attempts(),
        transitions,
        streams.gather(taskRows.connection()),
        tasks,
        tasks.stream().map(this::shown).toList(),
        silences(),
        dispatchFaultLog.drained(),
        dispatchFaultLog.troubles(dispatchPlan.servers()),
        left(),
        DispatchRunConfig.LIMITS,
        new TaskHistory.TaskEvidence(
            dispatchFaultLog.windows(),
            regions(),
            DispatchRunConfig.OVERFLOW,
            DispatchRunConfig.SLOTS,
            DispatchRunConfig.GRACE));
  }

  private List<SilentPod> silences() {
    return dispatchCluster.programs().stream()
        .flatMap(pod -> pod.silences().stream())
        .map(
            it ->
                new SilentPod(
                    it.process(),
                    it.why(),
                    it.from(),
                    it.over().isDone() ? Optional.of(it.over().resultNow()) : Optional.empty()))
        .sorted(Comparator.comparing(SilentPod::from))
        .toList();
  }

  /** A server's view of a task. */
  private FinalTaskView shown(TaskRow taskRow) {
    int server = taskClients.server();
    var apiClient = taskClients.admin().at(dispatchCluster.servers().urls().get(server));
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

  private Coverage coverage(TaskHistory history) {
    long accepted = history.answers().stream().filter(it -> it.status() == 202).count();
    long asked = history.requestedTasks().size();
    long done = history.attempts().stream().filter(it -> it.ended().isPresent()).count();
    long stops = history.stops().stream().filter(it -> it.status() == 202).count();
    return Coverage.NONE
        .with("injected faults", dispatchFaultLog.injected(), dispatchPlan.faults().size() / 2)
        .with("accepted tasks", accepted, 20)
        .withShare("share of accepted tasks", accepted, asked, 0.5)
        .with("programs that ended by themselves", done, 10)
        .with("acknowledged stops", stops, 2)
        .with("pods seen", history.evidence().regions().size(), 2);
  }

  /** The region of each pod that has begun a program. */
  private Map<String, String> regions() throws IOException {
    Map<String, String> regions = new TreeMap<>();
    for (ObservedAttempt attempt : taskObservations.attempts()) {
      String name = attempt.life().substring(0, attempt.life().indexOf('.'));
      int number = Integer.parseInt(name.substring(name.indexOf('-') + 1));
      regions.put(
          attempt.pod(), DispatchRunConfig.REGIONS.get(number % DispatchRunConfig.REGIONS.size()));
    }
    return regions;
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
                streams.connections()));
    dispatchCluster.all().stream()
        .filter(it -> dispatchPlan.clocks().containsKey(it.name()) && !it.skewed())
        .forEach(it -> notes.add("not injected: no libfaketime for " + it.name()));
    return notes;
  }
}
