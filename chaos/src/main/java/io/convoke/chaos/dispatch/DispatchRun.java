package io.convoke.chaos.dispatch;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.EventStreams;
import io.convoke.chaos.Fault;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * One run: the storm, then no more faults until every task has ended; then gathers and checks the
 * history.
 */
final class DispatchRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(200);

  /** How long a store is away while programs end. */
  private static final Duration ENDS_WITHIN = Duration.ofSeconds(3);

  /** How long no server reaches Redis: longer than a command waits for it. */
  private static final Duration CUT_OFF = Duration.ofSeconds(4);

  /** Longer than a program runs that is stopped meanwhile. */
  private static final Duration LEFT_MAX = Duration.ofSeconds(20);

  /** Twice the slots of a region, and so many more that a share of them is seen. */
  private static final int FULL = 8;

  private static final int MORE = 16;

  /**
   * A pod hangs for so long: more than half of a lease, and less than one with its last renewal.
   */
  private static final Duration HANGS = Duration.ofMillis(3300);

  /** A drain after the storm, and the writes with its end that Redis loses half a second later. */
  private static final Duration DRAINED = Duration.ofSeconds(2);

  private static final Duration LOST = Duration.ofSeconds(1);
  private static final Duration HEARD = Duration.ofMillis(500);

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
      taskReads.read(idlePods());
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
            () -> {
              DispatchPlanner.withoutSuccess(plan.seed()).forEach(clients::accepted);
              taskReads.uniqueInTurn(plan.seed());
              upgradePods(injector);
              DispatchPlanner.ofAPodThatHangs(plan.seed()).forEach(task -> hang(injector, task));
              DispatchPlanner.inTurn(plan.seed()).forEach(clients::accepted);
              DispatchPlanner.waitsWhileEmptied(plan.seed()).forEach(clients::accepted);
              busyRegions();
              DispatchPlanner.inABusyRegion(plan.seed()).forEach(clients::accepted);
              emptied(injector);
              outages(injector);
              if (plan.seed() % 3 == 2) {
                loseResume(injector);
              }
            },
            threads));
    return CompletableFuture.allOf(wanted.toArray(CompletableFuture[]::new));
  }

  /** Tasks without a region wait beside more tasks of each region than that has slots. */
  private void busyRegions() {
    together(DispatchPlanner.inAllRegions(plan.seed(), "full", FULL));
    DispatchPlanner.withoutRegion(plan.seed()).forEach(clients::accepted);
    together(DispatchPlanner.inAllRegions(plan.seed(), "more", MORE));
  }

  private void together(List<PlannedTask> tasks) {
    CompletableFuture.allOf(
            tasks.stream()
                .map(task -> CompletableFuture.runAsync(() -> clients.accepted(task), threads))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  /** Empties Redis while tasks wait for their region, and nothing else is wrong. */
  private void emptied(FaultInjector injector) {
    List<PlannedTask> waiting = DispatchPlanner.whileEmptied(plan.seed());
    for (PlannedTask task : waiting) {
      var _ = clients.accepted(task);
    }
    if (!waiting.isEmpty()) {
      injector.inject(new DispatchFault.OnServers(new Fault.FlushRedis(Duration.ZERO)));
    }
  }

  /**
   * Stops the pods of a region as an upgrade does, while one of their tasks ends in time and
   * another does not; in one seed of three while the servers are restarted too.
   */
  private void upgradePods(FaultInjector injector) {
    List<String> ids = new ArrayList<>();
    for (PlannedTask task : DispatchPlanner.duringAnUpgrade(plan.seed())) {
      clients.accepted(task).ifPresent(ids::add);
      awaitOther(ids.getLast(), Set.of("PENDING"));
    }
    taskReads.running(ids.getLast());
    List<ChaosProgram> pods =
        IntStream.iterate(0, i -> i < plan.pods(), i -> i + DispatchRunConfig.REGIONS.size())
            .mapToObj(cluster.programs()::get)
            .toList();
    CompletableFuture<Void> servers =
        plan.seed() % 3 == 1
            ? CompletableFuture.runAsync(
                () ->
                    injector.inject(
                        new DispatchFault.OnServers(new Fault.RollServers(Duration.ZERO))),
                Thread.ofPlatform()::start)
            : CompletableFuture.completedFuture(null);
    List<String> names = pods.stream().flatMap(pod -> pod.printed().stream()).toList();
    Instant from = Instant.now();
    CompletableFuture.allOf(
            pods.stream()
                .map(pod -> CompletableFuture.runAsync(pod::stop, Thread.ofPlatform()::start))
                .toArray(CompletableFuture[]::new))
        .join();
    names.forEach(name -> faultLog.drained(name, from, Instant.now()));
    taskReads.gone(names);
    ids.forEach(id -> awaitOther(id, Set.of("PENDING", "PROCESSING")));
    taskReads.ended(
        "tasks of pods that were stopped, one of which was returned",
        List.of("SUCCESS 1", "SUCCESS 2"),
        ids);
    pods.forEach(ChaosProgram::restart);
    servers.join();
  }

  /** The pod of a task hangs for longer than half of its lease, and keeps the task. */
  private void hang(FaultInjector injector, PlannedTask task) {
    String id = clients.accepted(task).orElse("");
    awaitOther(id, Set.of("PENDING"));
    Optional<String> pod = Optional.of(taskReads.podOf(id));
    IntStream.range(0, plan.pods())
        .filter(i -> cluster.programs().get(i).printed().equals(pod))
        .mapToObj(i -> new Fault.HangServer(Duration.ZERO, i, HANGS))
        .forEach(hangs -> injector.inject(new DispatchFault.OnPods(hangs)));
    awaitOther(id, Set.of("PENDING", "PROCESSING"));
    taskReads.ended("a task whose pod hung for a moment", List.of("SUCCESS 1"), List.of(id));
  }

  /** Redis loses its last second in which a pod was resumed, after the pod heard of it. */
  private static void loseResume(FaultInjector injector) {
    CompletableFuture<Void> loss =
        CompletableFuture.runAsync(
            () -> {
              LockSupport.parkNanos(DRAINED.minus(HEARD).toNanos());
              injector.inject(
                  new DispatchFault.OnServers(
                      new Fault.LoseLastWrites(Duration.ZERO, LOST, ENDS_WITHIN)));
            },
            Thread.ofPlatform()::start);
    injector.inject(new DispatchFault.DrainPod(Duration.ZERO, 0, DRAINED));
    loss.join();
  }

  /**
   * No server reaches Redis while a task is stopped; then each store is away while programs end.
   */
  private void outages(FaultInjector injector) {
    Optional<PlannedTask> stopped = DispatchPlanner.stoppedInAnOutage(plan.seed());
    Optional<String> id = stopped.flatMap(clients::accepted);
    if (id.isPresent()) {
      awaitOther(id.get(), Set.of("PENDING"));
      List<CompletableFuture<Void>> cuts =
          IntStream.range(0, plan.servers())
              .mapToObj(i -> new Fault.CutOff(Duration.ZERO, i, Fault.Store.REDIS, CUT_OFF))
              .map(
                  cut ->
                      CompletableFuture.runAsync(
                          () -> injector.inject(new DispatchFault.OnServers(cut)),
                          Thread.ofPlatform()::start))
              .toList();
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
      clients.stop(stopped.get(), id.get());
      cuts.forEach(CompletableFuture::join);
      awaitOther(id.get(), Set.of("PENDING", "PROCESSING"));
    }
    endDuring(
        injector,
        "redis",
        new Fault.RedisAway(Duration.ZERO, Fault.StoreFailure.STOPS, ENDS_WITHIN));
    endDuring(
        injector,
        "postgres",
        new Fault.PostgresAway(Duration.ZERO, Fault.StoreFailure.STOPS, ENDS_WITHIN));
  }

  /** A store is away while programs end. */
  private void endDuring(FaultInjector injector, String store, Fault away) {
    List<String> ending =
        DispatchPlanner.endInAnOutage(plan.seed(), store).stream()
            .flatMap(task -> clients.accepted(task).stream())
            .toList();
    if (!ending.isEmpty()) {
      ending.forEach(task -> awaitOther(task, Set.of("PENDING")));
      injector.inject(new DispatchFault.OnServers(away));
    }
  }

  /** Waits until a task has left these states, for a while at most. */
  private void awaitOther(String id, Set<String> states) {
    long end = System.nanoTime() + LEFT_MAX.toNanos();
    while (System.nanoTime() - end < 0
        && states.contains(
            looks
                .ask(clients.admin(), api -> api.get("/tasks/" + id))
                .body()
                .path("state")
                .asString(""))) {
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  /** Waits until every task has ended and Redis holds none, or a timeout. */
  private boolean awaitTheEnd(CompletableFuture<?> customersDone, long quiet) throws SQLException {
    long deadline = quiet + DispatchRunConfig.END_MAX.toNanos();
    int signs = 0;
    CompletableFuture<?> wanted = customersDone;
    while (System.nanoTime() - deadline < 0) {
      if (wanted.isDone() && rows.open() == 0 && left().isEmpty()) {
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
