package io.convoke.chaos.durable;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.TimedGoal;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowChecker;
import io.convoke.chaos.durable.rules.FlowHistory;
import io.convoke.chaos.durable.rules.FlowHistory.ItemRestart;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.simulator.process.ReleaseRotation;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run: the storm, then no more faults until every flow has ended and the queues are empty; then
 * gathers and checks the history.
 */
final class FlowRun implements AutoCloseable {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** Time to open connections again. */
  private static final Duration CUT_OFF = FlowRunConfig.RECOVERED.minus(FlowRunConfig.RECONNECTED);

  private final FlowPlan plan;
  private final Duration faultPhase;
  private final ChaosEnvironment environment;
  private final Path folder;
  private final String url;
  private final FlowNodes nodes;
  private final Object patience = new Object();
  private final FaultTimeline timeline = new FaultTimeline();
  private final FlowFaultLog faultLog = new FlowFaultLog(timeline);
  private final FaultInjection injection;
  private final List<String> missed = new ArrayList<>();
  private final boolean mixed;
  private final FlowPlan calm;
  private final FlowPlan longActivities;
  private final FlowPlan steps;
  private Set<String> calmRuns = Set.of();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  FlowRun(FlowPlan plan, Duration faultPhase, ChaosEnvironment environment, Path folder)
      throws SQLException {
    this.plan = plan;
    this.mixed = ReleaseRotation.starts().isPresent();
    this.calm = FlowPlanner.calm(plan.seed(), mixed ? Duration.ZERO : faultPhase);
    this.longActivities =
        FlowPlanner.hasLongActivities(plan.seed(), mixed)
            ? FlowPlanner.longActivities(plan.seed())
            : FlowPlan.empty(plan.seed());
    this.steps = mixed ? FlowPlan.empty(plan.seed()) : FlowPlanner.steps(plan.seed());
    this.faultPhase = faultPhase;
    this.environment = environment;
    this.folder = folder;
    this.url = environment.stores().freshDatabase();
    environment.stores().redis().flush();
    try (FlowRows rows =
        new FlowRows(
            environment.stores().postgres().connect(url.substring(url.lastIndexOf('/') + 1)))) {
      rows.prepare();
    }
    this.nodes =
        new FlowNodes(
            environment,
            url,
            folder,
            plan.shiftedClock(),
            environment.onNetwork() || !plan.onlyKills(),
            faultLog);
    this.injection = new FaultInjection(environment, nodes, timeline);
  }

  RunReport carryOut() throws IOException, SQLException {
    try (FlowClientProcess flowClientProcess =
        FlowClientProcess.start("client", plan, url, folder, environment.guardian())) {
      faultPhase();
      Instant quiet = Instant.now();
      boolean over = awaitTheEnd(flowClientProcess, mixed ? 0 : 2);
      Duration converged = Duration.between(quiet, Instant.now());
      boolean calm =
          over
              && atOnce("long", longActivities, 2)
              && (mixed || calmPhase())
              && atOnce("steps", steps, 3);
      return verdict(history(flowClientProcess), calm, converged);
    }
  }

  @Override
  public void close() {
    var _ = threads.shutdownNow();
    nodes.close();
  }

  /** Injects all faults, each at its time, concurrently. */
  private void faultPhase() {
    RunClock start = new RunClock();
    CompletableFuture<?>[] all =
        plan.faults().stream()
            .map(
                fault ->
                    CompletableFuture.runAsync(
                        () -> injectFault(fault, start), Thread.ofPlatform()::start))
            .toArray(CompletableFuture[]::new);
    var _ = CompletableFuture.allOf(all).join();
    start.await(faultPhase);
    nodes.programs().forEach(ChaosProgram::restart);
  }

  /** Runs flows that start at once, with their faults; false if they do not end. */
  private boolean atOnce(String name, FlowPlan flows, long openMax)
      throws IOException, SQLException {
    if (flows.flows().isEmpty()) {
      return true;
    }
    try (FlowClientProcess client =
        FlowClientProcess.start(name, flows, url, folder, environment.guardian())) {
      RunClock start = new RunClock();
      flows.faults().forEach(fault -> injectFault(fault, start));
      return awaitTheEnd(client, openMax);
    }
  }

  /** Runs flows one at a time without faults; false if they do not end. */
  private boolean calmPhase() throws IOException, SQLException {
    try (FlowClientProcess client =
        FlowClientProcess.start("calm", calm, url, folder, environment.guardian())) {
      boolean over = awaitTheEnd(client, 3);
      calmRuns = client.acknowledged("last");
      return over;
    }
  }

  private void injectFault(FlowFault flowFault, RunClock start) {
    start.await(flowFault.at());
    switch (flowFault) {
      case FlowFault.OnNodes(Fault fault) -> injection.inject(fault);
      case FlowFault.KillOnceAllWork(Duration _, int node, Duration down) -> {
        synchronized (patience) {
          awaitAll();
          injection.killed(List.of(node), () -> LockSupport.parkNanos(down.toNanos()));
        }
      }
      case FlowFault.CutConnections(Duration _, int percent) -> {
        try (var _ = timeline.begin(FaultTimeline.CONNECTIONS_CUT, CUT_OFF, List.of("all"));
            FlowRows rows = nodes.rows()) {
          rows.cutConnections(percent);
        } catch (SQLException away) {
          miss(flowFault + ": Postgres was down");
        }
      }
      case FlowFault.BlackholeListener(Duration _, int node) -> nodes.silenceListener(node);
      case FlowFault.MoveClock(Duration _, int node, Duration ahead) -> {
        if (!nodes.programs().get(node).shiftClock(ahead)) {
          miss(flowFault + ": libfaketime is not installed");
        }
      }
    }
  }

  /** Waits until all nodes work. */
  private void awaitAll() {
    long end = System.nanoTime() + FlowRunConfig.END_MAX.toNanos();
    while (!nodes.programs().stream().allMatch(ChaosProgram::undisturbed)) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("a node does not restart");
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
  }

  /** Waits until all is acknowledged, all but so many have ended and left the queues. */
  private boolean awaitTheEnd(FlowClientProcess client, long openMax)
      throws IOException, SQLException {
    Instant deadline = Instant.now().plus(FlowRunConfig.END_MAX);
    try (FlowRows rows = nodes.rows()) {
      while (Instant.now().isBefore(deadline)) {
        if (client.done() && rows.open() <= openMax && rows.left().isEmpty()) {
          return true;
        }
        LockSupport.parkNanos(LOOK_EVERY.toNanos());
      }
      return false;
    }
  }

  private FlowHistory history(FlowClientProcess flowClientProcess)
      throws IOException, SQLException {
    ActivityLog log = new ActivityLog(folder);
    List<ObservedActivityAttempt> tried = log.tried();
    try (FlowRows rows = nodes.rows()) {
      List<TestFlow> after = all(longActivities.flows(), all(calm.flows(), steps.flows()));
      return new FlowHistory(
          all(plan.flows(), after),
          all(
              flowClientProcess.acknowledged("start"),
              after.stream().map(TestFlow::id).collect(Collectors.toSet())),
          flowClientProcess.acknowledged("tell"),
          rows.instances(),
          rows.executions(),
          rows.events(),
          rows.bookings(),
          rows.sums(),
          tried,
          faultLog.restarts(tried),
          faultLog.crashes(),
          rows.left(),
          FlowRunConfig.TIMER_MAX,
          FlowRunConfig.RESTART_MAX,
          new FlowHistory.FlowEvidence(
              plan.onlyKills()
                  ? faultLog.windows()
                  : all(faultLog.windows(), FlowHistory.FlowEvidence.ALWAYS),
              calm.flows(),
              mixed ? "" : FlowRunConfig.SCHEDULE,
              mixed ? "" : FlowRunConfig.SCHEDULE_DURING_FAULTS,
              FlowRunConfig.SCHEDULED,
              plan.jobs(),
              timeline.windows(),
              all(flowClientProcess.acknowledged("last"), calmRuns),
              log.steps(),
              log.awaited()));
    }
  }

  private static <T> List<T> all(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  private static <T> Set<T> all(Set<T> one, Set<T> other) {
    return Stream.concat(one.stream(), other.stream()).collect(Collectors.toSet());
  }

  private RunReport verdict(FlowHistory history, boolean over, Duration converged)
      throws IOException {
    List<RuleViolation> findings = new ArrayList<>(FlowChecker.check(history));
    if (!over) {
      findings.add(
          ViolationKind.NOT_CONVERGED.found(
              "%d s after the last fault some instances still run",
              FlowRunConfig.END_MAX.toSeconds()));
    }
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    List<ItemRestart> known =
        history.restarts().stream().filter(restart -> restart.elapsed().isPresent()).toList();
    return new RunReport(
        plan.seed(),
        history.operations(),
        over ? Optional.of(converged) : Optional.empty(),
        List.copyOf(findings),
        List.of(faultLog.kills() + " kills", history.flows().size() + " flows"),
        notes(history),
        folder,
        coverage(history),
        List.of(
            new TimedGoal(
                "restart of a killed node's work",
                Optional.of(FlowRunConfig.RESTART_P99),
                took(known, true)),
            new TimedGoal("restart during another fault", Optional.empty(), took(known, false)),
            new TimedGoal(
                "start of a flow while nothing else happens",
                Optional.of(FlowRunConfig.CALM_P99),
                history.calmStarts())));
  }

  private Coverage coverage(FlowHistory history) {
    long ended = history.tried().stream().filter(one -> one.ended().isPresent()).count();
    long timers =
        history.events().stream().filter(event -> event.type().equals("TimerFired")).count();
    return Coverage.NONE
        .with("kills", faultLog.kills(), Math.max(1, plan.kills() / 2))
        .with("acknowledged flows", history.acknowledged().size(), history.flows().size() / 2)
        .with("finished attempts", ended, 100)
        .with("callers told of an end", told(history), 20)
        .with("steps", history.evidence().steps().size(), steps.flows().size())
        .with("timers", timers, 10);
  }

  private static long told(FlowHistory history) {
    return history.evidence().awaited().stream().filter(one -> one.told().isPresent()).count();
  }

  private static List<Duration> took(List<ItemRestart> restarts, boolean alone) {
    return restarts.stream()
        .filter(restart -> restart.alone() == alone)
        .flatMap(restart -> restart.elapsed().stream())
        .toList();
  }

  private List<String> notes(FlowHistory history) {
    List<ObservedActivityAttempt> tried = history.tried();
    long again = tried.stream().filter(one -> one.attempt() > 1).count();
    long skewed =
        tried.stream()
            .filter(one -> one.skew().abs().compareTo(FlowRunConfig.SKEW.minusSeconds(1)) > 0)
            .count();
    List<String> notes = new ArrayList<>();
    notes.add(
        "%d instances, %d events, %d attempts of which %d were not the first and %d began under a wrong clock, %d effects; %d kills of nodes that held %d items"
            .formatted(
                history.instances().size(),
                history.events().size(),
                tried.size(),
                again,
                skewed,
                history.bookings().size(),
                faultLog.ofHolders(),
                history.restarts().size()));
    synchronized (missed) {
      notes.addAll(missed);
    }
    return notes;
  }

  private void miss(String what) {
    synchronized (missed) {
      missed.add("not injected: " + what);
    }
  }
}
