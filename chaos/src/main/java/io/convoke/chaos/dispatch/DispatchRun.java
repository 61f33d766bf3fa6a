package io.convoke.chaos.dispatch;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.TimedGoal;
import io.convoke.chaos.dispatch.rules.TaskChecker;
import io.convoke.chaos.dispatch.rules.TaskHistory;
import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.FinalTaskView;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TenantRule;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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

  /** From a resume until its pod has heard of it. */
  private static final Duration HEARD_WITHIN = Duration.ofSeconds(1);

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

  private final DispatchPlan plan;
  private final ChaosEnvironment environment;
  private final DispatchCluster cluster;
  private final TaskObservations observations;
  private final Path folder;
  private final TaskRows rows;
  private final TaskClients clients;
  private final FaultTimeline timeline = new FaultTimeline();
  private final DispatchFaultLog faultLog = new DispatchFaultLog(timeline);
  private final EventStreams streams;
  private final ApiComparisons looks;
  private final TaskReads taskReads;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  DispatchRun(
      DispatchPlan plan,
      ChaosEnvironment environment,
      DispatchCluster cluster,
      TaskObservations observations,
      Path folder)
      throws SQLException {
    this.plan = plan;
    this.environment = environment;
    this.cluster = cluster;
    this.observations = observations;
    this.folder = folder;
    List<URI> urls = cluster.servers().urls();
    this.looks = new ApiComparisons(urls);
    this.clients = new TaskClients(cluster, looks, plan.seed());
    this.streams = new EventStreams(clients.admin(), urls);
    ApiClient.CreatedUser stranger = clients.admin().newUser("stranger@example.com", 1);
    this.rows =
        new TaskRows(
            new LastingConnection(environment.stores().postgres(), cluster.servers().database()),
            stranger.id());
    this.taskReads = new TaskReads(looks, clients, stranger.api(), urls.getFirst(), rows);
    streams.add(clients.customer());
    streams.add(stranger);
  }

  RunReport carryOut(Duration faultPhase) throws SQLException, IOException, InterruptedException {
    CompletableFuture<?> customersDone = faultPhase(faultPhase);
    long quiet = System.nanoTime();
    boolean over = awaitTheEnd(customersDone, quiet);
    Duration converged = Duration.ofNanos(System.nanoTime() - quiet);
    if (over) {
      taskReads.read(idlePods(), faultLog.troubles(plan.servers()));
    }
    TaskHistory history = history();
    List<RuleViolation> findings = new ArrayList<>(TaskChecker.check(history));
    if (faultLog.compared().stream().anyMatch(it -> it.compareTo(COMPARED_MAX) > 0)) {
      findings.add(
          new RuleViolation(
              ViolationKind.LATE,
              "Redis was compared with the task table late: " + faultLog.compared(),
              "ComparisonRule"));
    }
    if (!over && findings.isEmpty()) {
      findings.add(ViolationKind.NOT_CONVERGED.found("correct but too late"));
    }
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    return new RunReport(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(faultLog.kills() + " kills", history.rows().size() + " tasks " + ends(history)),
        notes(history),
        folder,
        coverage(history),
        List.of(
            new TimedGoal(
                "reassignment of a silent pod's task, after it counts as dead",
                Optional.empty(),
                TaskChecker.stranded(history)),
            new TimedGoal(
                "rebuilt from the database, after Redis was back",
                Optional.empty(),
                faultLog.compared())));
  }

  @Override
  public void close() throws SQLException {
    streams.close();
    var _ = threads.shutdownNow();
    rows.close();
  }

  /** Executes the plan on time; clients may finish later. */
  private CompletableFuture<?> faultPhase(Duration span) {
    RunClock start = new RunClock();
    FaultInjector injector =
        new FaultInjector(environment, cluster, timeline, observations, clients, faultLog);
    List<CompletableFuture<?>> wanted = new ArrayList<>();
    for (PlannedTask plannedTask : plan.orders()) {
      wanted.add(
          CompletableFuture.runAsync(
              () -> {
                start.await(plannedTask.at());
                clients.want(plannedTask);
              },
              threads));
    }
    CompletableFuture<?>[] broken =
        plan.faults().stream()
            .map(
                fault ->
                    CompletableFuture.runAsync(
                        () -> {
                          start.await(fault.at());
                          injector.inject(fault);
                          faultLog.done();
                        },
                        Thread.ofPlatform()::start))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(broken).join();
    start.await(span);
    cluster.all().forEach(ChaosProgram::restart);
    wanted.add(
        CompletableFuture.runAsync(
            new CalmPhase(plan, cluster, clients, taskReads, injector, faultLog, threads)::carryOut,
            threads));
    return CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
  }

  /** Waits until every task has ended and Redis holds none, or a timeout. */
  private boolean awaitTheEnd(CompletableFuture<?> customersDone, long quiet) throws SQLException {
    long deadline = quiet + DispatchRunConfig.END_MAX.toNanos();
    int signs = 0;
    CompletableFuture<?> wanted = customersDone;
    while (System.nanoTime() - deadline < 0) {
      if (wanted.isDone() && rows.open() == 0 && left().isEmpty()) {
        var _ = wanted.join();
        return true;
      }
      long past = System.nanoTime() - quiet;
      if (past > signs * SIGN_OF_LIFE.toNanos() && rows.open() > 0) {
        signs++;
        PlannedTask plannedTask = sign(signs);
        wanted =
            CompletableFuture.allOf(
                wanted, CompletableFuture.runAsync(() -> clients.want(plannedTask), threads));
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return false;
  }

  private PlannedTask sign(int number) {
    return PlannedTask.plain(
        Duration.ZERO,
        "req-t%d-sign-%d".formatted(plan.seed(), number),
        SIGN_OF_LIFE.minusSeconds(1),
        true,
        Optional.empty());
  }

  private List<String> left() {
    return EMPTY.stream()
        .flatMap(pattern -> environment.stores().redis().keys(pattern).stream())
        .map(key -> "Redis still has " + key)
        .toList();
  }

  private TaskHistory history() throws SQLException, IOException, InterruptedException {
    List<ObservedTransition> transitions = rows.transitions();
    List<TaskRow> tasks = rows.tasks();
    return new TaskHistory(
        clients.requestedTasks(),
        clients.answers(),
        clients.stops(),
        observations.attempts(),
        transitions,
        streams.gather(rows.connection()),
        tasks,
        tasks.stream().map(this::shown).toList(),
        silences(),
        faultLog.drained(),
        faultLog.troubles(plan.servers()),
        left(),
        DispatchRunConfig.limits(plan.seed()),
        new TaskHistory.TaskEvidence(
            faultLog.windows(),
            regions(),
            DispatchRunConfig.OVERFLOW,
            DispatchRunConfig.SLOTS,
            DispatchRunConfig.GRACE,
            looks.all()));
  }

  /**
   * How many pods each region has now, unless one of them may have been drained late, or Redis may
   * have lost that a pod was resumed before the pod heard of it.
   */
  private Optional<Map<String, Integer>> idlePods() {
    Map<String, Integer> pods = new TreeMap<>();
    for (int i = 0; i < plan.pods(); i++) {
      pods.merge(
          DispatchRunConfig.REGIONS.get(i % DispatchRunConfig.REGIONS.size()), 1, Integer::sum);
    }
    return faultLog.drainedLate() || faultLog.drained().stream().anyMatch(this::resumedUnheard)
        ? Optional.empty()
        : Optional.of(pods);
  }

  private boolean resumedUnheard(DrainedPod drained) {
    Instant heard = drained.to().plus(HEARD_WITHIN);
    return silences().stream()
        .filter(silent -> silent.pod().equals(drained.pod()) && silent.from().isBefore(heard))
        .anyMatch(
            silent ->
                silent.reachableAgain().filter(again -> again.isAfter(drained.to())).isPresent());
  }

  private List<SilentPod> silences() {
    return cluster.programs().stream()
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
  private FinalTaskView shown(TaskRow row) {
    int server = clients.server();
    var apiClient = clients.admin().at(cluster.servers().urls().get(server));
    ApiReply task = apiClient.get("/tasks/" + row.id());
    ApiReply timeline = apiClient.get("/tasks/" + row.id() + "/timeline?limit=200");
    return new FinalTaskView(
        row.id(),
        server,
        task.ok() ? timeline.status() : task.status(),
        task.body().path("state").asString(""),
        task.body().path("attempt").asInt(),
        task.body().path("error").asString(""),
        timeline
            .body()
            .path("items")
            .valueStream()
            .filter(event -> event.path("data").has("moved_at"))
            .map(event -> event.path("seq").asLong())
            .toList());
  }

  private Coverage coverage(TaskHistory history) {
    long accepted = history.answers().stream().filter(it -> it.status() == 202).count();
    long asked = history.requestedTasks().size();
    long done = history.attempts().stream().filter(it -> it.ended().isPresent()).count();
    long stops = history.stops().stream().filter(it -> it.status() == 202).count();
    return Coverage.NONE
        .with("injected faults", faultLog.injected(), plan.faults().size() / 2)
        .with("accepted tasks", accepted, 20)
        .withShare("share of accepted tasks", accepted, asked, 0.5)
        .with("programs that ended by themselves", done, 10)
        .with("acknowledged stops", stops, 2)
        .with("pods seen", history.evidence().regions().size(), 2)
        .with("reads of users' own", TenantRule.proofs(history.streams().reads()), 5);
  }

  /** The region of each pod that has begun a program. */
  private Map<String, String> regions() throws IOException {
    Map<String, String> regions = new TreeMap<>();
    for (ObservedAttempt attempt : observations.attempts()) {
      String name = attempt.life().substring(0, attempt.life().indexOf('.'));
      int number = Integer.parseInt(name.substring(name.indexOf('-') + 1));
      regions.put(
          attempt.pod(), DispatchRunConfig.REGIONS.get(number % DispatchRunConfig.REGIONS.size()));
    }
    return regions;
  }

  private static Map<String, Integer> ends(TaskHistory history) {
    Map<String, Integer> ends = new TreeMap<>();
    history.rows().forEach(row -> ends.merge(row.state(), 1, Integer::sum));
    return ends;
  }

  private List<String> notes(TaskHistory history) {
    List<String> notes = new ArrayList<>(faultLog.remarks());
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
    cluster.all().stream()
        .filter(it -> plan.clocks().containsKey(it.name()) && !it.skewed())
        .forEach(it -> notes.add("not injected: no libfaketime for " + it.name()));
    return notes;
  }
}
