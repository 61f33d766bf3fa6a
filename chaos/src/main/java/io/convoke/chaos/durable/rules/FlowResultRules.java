package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.EffectRow;
import io.convoke.chaos.durable.rules.FlowHistory.ExecutionRow;
import io.convoke.chaos.durable.rules.FlowHistory.InstanceRow;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What becomes of flows: each ends once with its result, and each effect happens once. */
final class FlowResultRules {
  private static final Map<String, String> STATUS =
      Map.of(
          "WorkflowCompleted", "Completed",
          "WorkflowFailed", "Failed",
          "ContinuedAsNew", "ContinuedAsNew");

  /** Attempts that the policy of an activity that always fails allows. */
  private static final int HOPELESS = 3;

  /** A node's estimate of the database's time is approximate. */
  private static final Duration NEARLY = Duration.ofMillis(500);

  /** From the end of a step until it is committed: a second of its turn, and the next step. */
  private static final Duration COMMITTED = Duration.ofMillis(1850);

  /** From the decision of a turn to its transaction, on a busy machine. */
  private static final Duration DECIDED = Duration.ofSeconds(1);

  /** The first and the last second may be partial, and a busy machine may skip one. */
  private static final int LESS = 2;

  /** Runs that end or begin after the list of schedules was read last, on a busy machine. */
  private static final int UNSEEN = 3;

  private FlowResultRules() {}

  /** Every acknowledged flow ended once, with its expected result; there are no other instances. */
  static List<RuleViolation> flowEnd(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ExecutionRow>> executions =
        history.executions().stream().collect(Collectors.groupingBy(ExecutionRow::instance));
    Set<String> there =
        history.instances().stream().map(InstanceRow::id).collect(Collectors.toSet());
    for (TestFlow flow : history.flows()) {
      if (!history.acknowledged().contains(flow.id())) {
        findings.add(ViolationKind.LOST.found(flow.text() + ": its start was never acked"));
        continue;
      }
      for (String instance : flow.instances()) {
        if (!there.contains(instance)) {
          findings.add(ViolationKind.LOST.found(flow.text() + ": no instance " + instance));
        }
      }
      List<ExecutionRow> own = executions.getOrDefault(flow.id(), List.of());
      ended(flow, own.reversed().stream().findFirst()).ifPresent(findings::add);
      if (own.size() != flow.executions()) {
        findings.add(
            ViolationKind.COUNT.found(
                "%s: %d executions instead of %d", flow.text(), own.size(), flow.executions()));
      }
    }
    Set<String> wanted =
        history.flows().stream()
            .flatMap(flow -> flow.instances().stream())
            .collect(Collectors.toSet());
    there.stream()
        .filter(id -> !wanted.contains(id) && !scheduled(history, id))
        .sorted()
        .forEach(id -> findings.add(ViolationKind.INVENTED.found(id + " was never started")));
    return findings;
  }

  private static boolean scheduled(FlowHistory history, String id) {
    return Stream.of(
            history.evidence().schedule(), history.evidence().duringFaults(), TestFlow.LONG_RUNS)
        .anyMatch(schedule -> id.startsWith(schedule + "@") || id.equals("schedule:" + schedule));
  }

  private static Optional<RuleViolation> ended(TestFlow flow, Optional<ExecutionRow> last) {
    String status = last.map(ExecutionRow::status).orElse("nowhere");
    if (!status.equals("Completed")) {
      boolean open = status.equals("nowhere") || status.equals("Running");
      return Optional.of(
          (open ? ViolationKind.LOST : ViolationKind.ILLEGAL)
              .found(
                  "%s is %s: %s",
                  flow.text(), status, last.flatMap(ExecutionRow::output).orElse("-")));
    }
    String output = last.flatMap(ExecutionRow::output).orElse("nothing");
    return output.equals(Long.toString(flow.output()))
        ? Optional.empty()
        : Optional.of(
            ViolationKind.ILLEGAL.found(
                "%s returned %s instead of %d", flow.text(), output, flow.output()));
  }

  /**
   * A history begins with its start event, numbers its events without gaps, has exactly one end
   * event as its last, and matches the execution's row; all but the last execution continued as
   * new.
   */
  static List<RuleViolation> execution(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ExecutionRow> rows = new HashMap<>();
    history.executions().forEach(row -> rows.put(row.instance() + "/" + row.id(), row));
    history
        .runs()
        .forEach((run, events) -> judgeExecution(run, events, rows.remove(run), findings));
    rows.keySet()
        .forEach(run -> findings.add(ViolationKind.GAP.found(run + " has a row and no history")));
    history
        .instances()
        .forEach(
            instance -> {
              long known =
                  history.executions().stream()
                      .filter(row -> row.instance().equals(instance.id()))
                      .count();
              if (known != instance.execution()) {
                findings.add(
                    ViolationKind.SEQUENCE.found(
                        "%s is at execution %d and has %d in its history",
                        instance.id(), instance.execution(), known));
              }
            });
    return findings;
  }

  private static void judgeExecution(
      String run, List<EventRow> events, @Nullable ExecutionRow row, List<RuleViolation> findings) {
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).id() != i + 1) {
        findings.add(
            ViolationKind.GAP.found("%s: event %d follows %d", run, events.get(i).id(), i));
        break;
      }
    }
    List<EventRow> starts = events.stream().filter(e -> e.type().equals("Started")).toList();
    if (starts.size() != 1 || !events.getFirst().type().equals("Started")) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s begins with %s and has %d starts", run, events.getFirst().type(), starts.size()));
    }
    List<EventRow> ends = events.stream().filter(EventRow::end).toList();
    if (ends.size() > 1 || (!ends.isEmpty() && !events.getLast().end())) {
      findings.add(
          (ends.size() > 1 ? ViolationKind.DUPLICATED : ViolationKind.ILLEGAL)
              .found(
                  "%s has %d ends and continues with %s",
                  run, ends.size(), events.getLast().type()));
    }
    String status = ends.isEmpty() ? "Running" : STATUS.getOrDefault(ends.getLast().type(), "?");
    String recorded = row == null ? "missing" : row.status();
    if (!status.equals(recorded)) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "%s is %s by its history, its row is %s", run, status, recorded));
    }
  }

  /**
   * Each activity, sub-workflow and timer completes at most once and after it was scheduled; in an
   * execution that has ended all activities and sub-workflows have completed, but of flows that
   * leave one. A schedule that is turned off does not wait for its last run, which {@link
   * #schedule} judges.
   */
  static List<RuleViolation> flowAnswer(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> leaving = leaving(history);
    history
        .runs()
        .values()
        .forEach(
            events ->
                judgeFlowAnswer(events, leaving.contains(events.getFirst().instance()), findings));
    return findings;
  }

  private static Set<String> leaving(FlowHistory history) {
    return history.flows().stream()
        .filter(flow -> flow.kind() == TestFlow.TestFlowKind.LEAVING)
        .map(TestFlow::id)
        .collect(Collectors.toSet());
  }

  private static void judgeFlowAnswer(
      List<EventRow> events, boolean leaving, List<RuleViolation> findings) {
    Map<Long, EventRow> orders = new HashMap<>();
    Map<Long, EventRow> answers = new HashMap<>();
    for (EventRow event : events) {
      if (event.activity() || event.child() || event.timer()) {
        var _ = orders.put(event.id(), event);
      }
      if (event.answer()) {
        long order = event.order().orElse(0L);
        EventRow given = orders.get(order);
        if (given == null || given.timer() != event.type().equals("TimerFired")) {
          findings.add(
              ViolationKind.ILLEGAL.found(
                  event + " completes " + (given == null ? "no scheduled event" : given.type())));
        }
        EventRow before = answers.put(order, event);
        if (before != null) {
          findings.add(
              ViolationKind.DUPLICATED.found(
                  "%s: scheduled event %d is completed by events %d and %d",
                  event.run(), order, before.id(), event.id()));
        }
      }
    }
    boolean over = events.stream().anyMatch(EventRow::end);
    orders.values().stream()
        .filter(order -> over && !leaving && !order.timer() && !order.scheduledRun())
        .filter(order -> !answers.containsKey(order.id()))
        .forEach(order -> findings.add(ViolationKind.LOST.found(order + " never completed")));
  }

  /**
   * Each activity booked its amount exactly once, under the key of an activity scheduled in its
   * history, and the bookings add up to the flows' sums.
   */
  static List<RuleViolation> transactionalEffect(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> ordered =
        history.events().stream()
            .filter(EventRow::activity)
            .map(event -> event.key(event.id()))
            .collect(Collectors.toSet());
    Map<String, List<EffectRow>> bookings =
        history.bookings().stream()
            .collect(Collectors.groupingBy(effect -> effect.flow() + " " + effect.number()));
    Set<String> wanted = new HashSet<>();
    for (TestFlow flow : history.flows()) {
      for (TestActivity activity : flow.activities()) {
        String name = flow.id() + " " + activity.number();
        boolean _ = wanted.add(name);
        count(name, activity, bookings.getOrDefault(name, List.of()), findings);
      }
      long booked = history.booked().getOrDefault(flow.id(), 0L);
      if (booked != flow.booked()) {
        findings.add(
            ViolationKind.COUNT.found(
                "%s has %d effects instead of %d", flow.text(), booked, flow.booked()));
      }
    }
    for (EffectRow effect : history.bookings()) {
      if (!wanted.contains(effect.flow() + " " + effect.number())
          || !ordered.contains(effect.key())) {
        findings.add(ViolationKind.INVENTED.found(effect + " was not scheduled"));
      }
    }
    return findings;
  }

  private static void count(
      String name, TestActivity activity, List<EffectRow> bookings, List<RuleViolation> findings) {
    if (bookings.size() != 1) {
      findings.add(
          (bookings.isEmpty() ? ViolationKind.LOST : ViolationKind.DUPLICATED)
              .found(
                  "activity %s has %d effect rows: %s",
                  name, bookings.size(), bookings.stream().map(EffectRow::key).toList()));
    } else if (bookings.getFirst().amount() != activity.amount()) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "activity %s has %d effects instead of %d",
              name, bookings.getFirst().amount(), activity.amount()));
    }
  }

  /**
   * The engine does what was asked: the timers of a timed flow last as long as it sleeps, and an
   * activity that always fails is tried as often as its policy says and no more. A fault during an
   * attempt, or before its failure is stored, may cost that attempt: each allows one more.
   */
  static List<RuleViolation> order(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<EventRow>> runs = history.runs();
    Map<String, List<ObservedActivityAttempt>> tried = history.triedByKey();
    Map<String, String> keys = new HashMap<>();
    history.bookings().forEach(row -> keys.put(row.flow() + " " + row.number(), row.key()));
    for (TestFlow flow : history.flows()) {
      if (flow.kind() == TestFlow.TestFlowKind.TIMED) {
        timers(flow, runs.getOrDefault(flow.id() + "/1", List.of()), findings);
      }
      if (flow.kind() == TestFlow.TestFlowKind.SAGA) {
        String key = keys.getOrDefault(flow.id() + " " + flow.size(), "");
        List<ObservedActivityAttempt> attempts = tried.getOrDefault(key, List.of());
        int number = attempts.stream().mapToInt(ObservedActivityAttempt::attempt).max().orElse(0);
        if (number > HOPELESS + faults(history, attempts)) {
          findings.add(
              ViolationKind.COUNT.found(
                  "%s of %s was tried %d times instead of %d", key, flow.text(), number, HOPELESS));
        }
      }
    }
    return findings;
  }

  /**
   * Each step of a stepped flow runs once: a commit that breaks is repeated until the turn's lock
   * expires, and what ended long before its node was killed is committed.
   */
  static List<RuleViolation> step(FlowHistory history) {
    Map<String, List<ObservedActivityAttempt>> run =
        history.evidence().steps().stream()
            .collect(Collectors.groupingBy(ObservedActivityAttempt::key));
    List<RuleViolation> findings = new ArrayList<>();
    for (TestFlow flow : history.flows()) {
      for (TestActivity step : flow.steps()) {
        List<ObservedActivityAttempt> all = run.getOrDefault(step.stepKey(), List.of());
        long certain =
            all.stream()
                .filter(
                    one -> !wasKilledUncommitted(history, one) && !lockCouldExpire(history, one))
                .count();
        if (certain > 1) {
          findings.add(ViolationKind.DUPLICATED.found("a step ran %d times: %s", certain, all));
        } else if (all.stream().noneMatch(one -> one.ended().isPresent())) {
          findings.add(
              ViolationKind.LOST.found("the step %s did not end: %s", step.stepKey(), all));
        }
      }
    }
    return findings;
  }

  /** Whether its node was killed before the step surely was committed. */
  private static boolean wasKilledUncommitted(FlowHistory history, ObservedActivityAttempt step) {
    return history.evidence().faults().stream()
        .filter(fault -> fault.what().equals(FaultTimeline.KILL))
        .filter(fault -> step.process().startsWith(fault.target() + "."))
        // The kill comes a moment after it was noted, and the next process a second later.
        // One that never ended was killed with it, however late that was.
        .filter(
            fault ->
                fault.from().plus(NEARLY).isAfter(step.startedAt())
                    || (step.ended().isEmpty() && fault.to().isAfter(step.startedAt())))
        .anyMatch(
            fault ->
                step.ended().map(end -> end.plus(COMMITTED).isAfter(fault.from())).orElse(true));
  }

  /**
   * Whether connections were cut before the step surely was committed, and again and again for as
   * long as a lock lasts that is not renewed.
   */
  private static boolean lockCouldExpire(FlowHistory history, ObservedActivityAttempt step) {
    List<FaultWindow> cuts =
        history.evidence().faults().stream()
            .filter(fault -> fault.what().equals(FaultTimeline.CONNECTIONS_CUT))
            .filter(fault -> fault.to().isAfter(step.startedAt()))
            .sorted(Comparator.comparing(FaultWindow::from))
            .toList();
    if (cuts.isEmpty()) {
      return false;
    }
    Instant from = cuts.getFirst().from();
    Instant to = from;
    for (FaultWindow cut : cuts) {
      if (cut.from().isAfter(to)) {
        break;
      }
      to = cut.to().isAfter(to) ? cut.to() : to;
    }
    return from.isBefore(step.ended().orElse(Instant.MAX.minus(COMMITTED)).plus(COMMITTED))
        && Duration.between(from, to).compareTo(history.restartMax()) > 0;
  }

  /** Faults that could be felt after an attempt began and before another did. */
  private static long faults(FlowHistory history, List<ObservedActivityAttempt> attempts) {
    List<Instant> begun = attempts.stream().map(ObservedActivityAttempt::startedAt).toList();
    return history.evidence().troubles().stream()
        .filter(window -> begun.stream().anyMatch(window.to()::isAfter))
        .filter(window -> begun.stream().anyMatch(window.from()::isBefore))
        .count();
  }

  private static void timers(TestFlow flow, List<EventRow> events, List<RuleViolation> findings) {
    List<Duration> wanted = flow.timers();
    List<EventRow> timers = events.stream().filter(EventRow::timer).toList();
    if (timers.size() > wanted.size()) {
      findings.add(
          ViolationKind.INVENTED.found(flow.text() + " has %d timers".formatted(timers.size())));
    }
    for (int i = 0; i < Math.min(timers.size(), wanted.size()); i++) {
      EventRow timer = timers.get(i);
      Duration span = Duration.between(timer.written(), timer.fireAt().orElse(timer.written()));
      if (span.minus(wanted.get(i)).compareTo(NEARLY) > 0) {
        findings.add(
            ViolationKind.INTERVAL.found("%s should last %d ms", timer, wanted.get(i).toMillis()));
      }
    }
  }

  /** A schedule without faults starts about one run each second while it exists. */
  static List<RuleViolation> schedule(FlowHistory history) {
    String schedule = history.evidence().schedule();
    if (schedule.isEmpty()) {
      return List.of();
    }
    List<RuleViolation> findings = new ArrayList<>();
    List<ExecutionRow> runs =
        history.executions().stream()
            .filter(row -> row.instance().startsWith(schedule + "@"))
            .toList();
    long seconds = history.evidence().scheduled().toSeconds();
    if (Math.abs(runs.size() - seconds) > LESS) {
      findings.add(
          ViolationKind.COUNT.found("the schedule had %d runs in %d s", runs.size(), seconds));
    }
    return findings;
  }

  /**
   * Ticks that pass while no node is there, or while a run goes on, are skipped: the tick of a run
   * comes after the run before it began. And each run ends, those that fail by plan too. A turn
   * whose commit waits for Postgres is written later than it was decided.
   */
  static List<RuleViolation> missedTick(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    begun(history)
        .forEach(
            (schedule, ticks) ->
                ticks.forEach(
                    (tick, start) -> {
                      Map.Entry<Instant, Instant> before = ticks.lowerEntry(tick);
                      if (before != null
                          && tick.isBefore(before.getValue().minus(DECIDED))
                          && !history.evidence().delayed(tick, before.getValue())) {
                        findings.add(
                            ViolationKind.DUPLICATED.found(
                                "%s made up for the tick of %s, which was over when the run of %s began at %s",
                                schedule, tick, before.getKey(), before.getValue()));
                      }
                    }));
    history.executions().stream()
        .filter(row -> row.instance().contains("@"))
        .filter(
            row ->
                !row.status().equals(TestFlow.failingRun(row.instance()) ? "Failed" : "Completed"))
        .forEach(run -> findings.add(ViolationKind.OPEN.found(run.toString())));
    return findings;
  }

  /** When the runs of each schedule began, by their ticks. */
  private static Map<String, NavigableMap<Instant, Instant>> begun(FlowHistory history) {
    Map<String, NavigableMap<Instant, Instant>> begun = new HashMap<>();
    history.events().stream()
        .filter(event -> event.type().equals("Started") && event.instance().contains("@"))
        .forEach(
            event -> {
              String[] parts = event.instance().split("@", 2);
              begun
                  .computeIfAbsent(parts[0], _ -> new TreeMap<>())
                  .put(Instant.parse(parts[1]), event.written());
            });
    return begun;
  }

  /** A run of a schedule begins once the run of the tick before has ended. */
  static List<RuleViolation> runOverlap(FlowHistory history) {
    Map<String, Instant> ends = new HashMap<>();
    history.events().stream()
        .filter(EventRow::end)
        .forEach(event -> ends.put(event.instance(), event.written()));
    List<RuleViolation> findings = new ArrayList<>();
    begun(history)
        .forEach(
            (schedule, ticks) ->
                ticks.forEach(
                    (tick, start) -> {
                      String before = schedule + "@" + ticks.lowerKey(tick);
                      Instant end = ends.getOrDefault(before, Instant.MAX);
                      if (ticks.lowerKey(tick) != null && start.isBefore(end)) {
                        findings.add(
                            ViolationKind.DUPLICATED.found(
                                "the run of %s began at %s, and %s ended at %s",
                                tick, start, before, end));
                      }
                    }));
    return findings;
  }

  /**
   * The list of schedules tells of a run of the schedule whether it failed, and in the end, without
   * faults, of one of the last.
   */
  static List<RuleViolation> lastRun(FlowHistory history) {
    String calm = history.evidence().schedule();
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, NavigableMap<Instant, Instant>> begun = begun(history);
    NavigableMap<Instant, Instant> unseen =
        new TreeMap<>(begun.getOrDefault(calm, new TreeMap<>()));
    for (String text : history.evidence().lastRuns()) {
      String[] shown = text.split(" ", -1);
      String[] run = shown[1].split("@", 2);
      Instant tick = Instant.parse(run[1]);
      if (!run[0].equals(shown[0])
          || !begun.getOrDefault(run[0], new TreeMap<>()).containsKey(tick)
          || !shown[2].equals(TestFlow.failingRun(shown[1]) ? "failed" : "completed")) {
        findings.add(ViolationKind.ILLEGAL.found("a schedule shows a last run: " + text));
      }
      if (run[0].equals(calm)) {
        unseen.headMap(tick, true).clear();
      }
    }
    if (unseen.size() > UNSEEN) {
      findings.add(ViolationKind.LOST.found("%s does not show its runs of %s", calm, unseen));
    }
    return findings;
  }

  /** At the end no row is queued or locked. */
  static List<RuleViolation> emptyQueue(FlowHistory history) {
    return history.left().stream().map(row -> ViolationKind.OPEN.found(row)).toList();
  }
}
