package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestActivity;
import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.flow.TestJob;
import io.convoke.chaos.durable.rules.FlowHistory.ItemRestart;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** When attempts, timers and wake-ups happen, and which attempt counts. */
final class FlowTimeRules {
  /** Maximum difference between two processes' readings of the clock. */
  private static final Duration EXACT_OF_ATTEMPT_FENCING = Duration.ofMillis(5);

  /** Due times have millisecond, transaction times microsecond precision. */
  private static final Duration EXACT_OF_TIMER = Duration.ofMillis(1);

  /**
   * A turn's time is that of the message received, written by a node whose estimate of the
   * database's time is approximate.
   */
  private static final Duration NEARLY = Duration.ofMillis(500);

  /** Without faults and load: far less than the fallback poll. */
  private static final Duration CALM_MAX = Duration.ofSeconds(2);

  /** Timers during the fault phase, outside of faults. */
  private static final Duration BUSY_MAX = Duration.ofMillis(2500);

  /** A crash of Postgres loses claims of this time before it, which do not wait for the disk. */
  private static final Duration CLAIM_LOST = Duration.ofSeconds(1);

  /** Far longer than a job or an activity with a limit works, far shorter than a lock. */
  private static final Duration STARVED = Duration.ofMillis(1500);

  private FlowTimeRules() {}

  /**
   * Each attempt is handed out once, unless a Postgres crash lost the claim; and once an attempt
   * has begun, results of earlier ones are rejected. A result carries its attempt number and the
   * time just before it was sent; if a later attempt had begun by then, the lock was lost and the
   * result had to be rejected.
   */
  static List<RuleViolation> attemptFencing(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ObservedActivityAttempt> known = new HashMap<>();
    for (ObservedActivityAttempt observedActivityAttempt : history.tried()) {
      ObservedActivityAttempt before =
          known.putIfAbsent(
              observedActivityAttempt.key() + " attempt " + observedActivityAttempt.attempt(),
              observedActivityAttempt);
      if (before != null && !forgotten(history, before, observedActivityAttempt)) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "%s attempt %d was given to %s and to %s",
                observedActivityAttempt.key(),
                observedActivityAttempt.attempt(),
                before.process(),
                observedActivityAttempt.process()));
      }
    }
    Map<String, List<ObservedActivityAttempt>> byKey = history.triedByKey();
    for (EventRow event : history.events()) {
      if (event.attempt().isPresent() && event.order().isPresent()) {
        List<ObservedActivityAttempt> attempts =
            byKey.getOrDefault(event.key(event.order().orElseThrow()), List.of());
        judgeAttemptFencing(event, event.attempt().orElseThrow(), attempts)
            .ifPresent(findings::add);
      }
    }
    return findings;
  }

  /**
   * Whether a fault may have taken the lock of an attempt while it ran; so may a machine on which
   * it ran for far longer than it works.
   */
  private static boolean mayLoseLock(FlowHistory history, ObservedActivityAttempt attempt) {
    Instant from = attempt.startedAt();
    Instant until = attempt.ended().orElseThrow();
    return Duration.between(from, until).compareTo(STARVED) > 0
        || history.crashes().stream()
            .anyMatch(
                crash ->
                    crash.isAfter(from.minus(CLAIM_LOST)) && crash.isBefore(until.plus(CLAIM_LOST)))
        || history.evidence().faults().stream()
            .filter(fault -> attempt.process().startsWith(fault.target() + "."))
            .anyMatch(fault -> fault.touches(from, until));
  }

  /**
   * Each job comes to its end, and of those with one unique key none begins before the one before
   * it has ended.
   */
  static List<RuleViolation> job(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedActivityAttempt>> byUnique =
        history.tried().stream()
            .filter(attempt -> attempt.ended().isPresent())
            .collect(Collectors.groupingBy(attempt -> TestJob.unique(attempt.key())));
    for (TestJob job : history.evidence().jobs()) {
      List<ObservedActivityAttempt> ended = byUnique.getOrDefault(TestJob.of(job.id()), List.of());
      if (ended.isEmpty()) {
        findings.add(ViolationKind.LOST.found(job + " never ended"));
      }
      for (ObservedActivityAttempt one : ended) {
        ended.stream()
            .filter(other -> !other.key().equals(one.key()))
            .filter(other -> other.startedAt().isAfter(one.startedAt()))
            .filter(other -> other.startedAt().isBefore(one.ended().orElseThrow()))
            .filter(other -> !mayLoseLock(history, one))
            .forEach(
                other ->
                    findings.add(
                        ViolationKind.DUPLICATED.found(
                            "%s runs beside %s, which has the same unique key", other, one)));
      }
    }
    return findings;
  }

  /** Of activities with a limit no more run at the same time, over all nodes. */
  static List<RuleViolation> limit(FlowHistory history) {
    Set<String> limited = new HashSet<>();
    history.flows().stream()
        .filter(flow -> flow.kind() == TestFlow.TestFlowKind.LIMITED)
        .forEach(flow -> limited.add(flow.id()));
    List<ObservedActivityAttempt> whole =
        history.tried().stream()
            .filter(attempt -> limited.contains(attempt.key().split("/", 2)[0]))
            .filter(attempt -> attempt.ended().isPresent())
            .filter(attempt -> !mayLoseLock(history, attempt))
            .toList();
    return whole.stream()
        .map(
            attempt ->
                whole.stream()
                    .filter(other -> !other.startedAt().isAfter(attempt.startedAt()))
                    .filter(other -> other.ended().orElseThrow().isAfter(attempt.startedAt()))
                    .toList())
        .filter(together -> together.size() > TestFlow.LIMIT)
        .map(
            together ->
                ViolationKind.COUNT.found(
                    "%d activities of a limit of %d run at the same time: %s",
                    together.size(), TestFlow.LIMIT, together))
        .toList();
  }

  /**
   * An activity that failed for good is not tried again, unless a fault may have kept that from
   * being stored: one of its process, of what all share, or a machine on which it lost its lock.
   */
  static List<RuleViolation> refusal(FlowHistory history) {
    Set<String> refused = new HashSet<>();
    history.flows().stream()
        .filter(flow -> flow.kind() == TestFlow.TestFlowKind.REFUSED)
        .forEach(flow -> refused.add(flow.id()));
    Map<String, List<ObservedActivityAttempt>> tried = history.triedByKey();
    return history.bookings().stream()
        .filter(row -> row.number() == 0 && refused.contains(row.flow()))
        .map(row -> tried.getOrDefault(row.key(), List.of()))
        .flatMap(
            attempts ->
                attempts.stream()
                    .filter(attempt -> attempt.ended().isPresent())
                    .flatMap(attempt -> again(history, attempt, attempts).stream()))
        .toList();
  }

  private static Optional<RuleViolation> again(
      FlowHistory history,
      ObservedActivityAttempt refusal,
      List<ObservedActivityAttempt> attempts) {
    Instant ended = refusal.ended().orElseThrow();
    return attempts.stream()
        .filter(next -> next.startedAt().isAfter(ended))
        .min(Comparator.comparing(ObservedActivityAttempt::startedAt))
        .filter(next -> next.startedAt().isBefore(ended.plus(history.restartMax())))
        .filter(_ -> !mayLoseLock(history, refusal))
        .filter(
            next ->
                !history
                    .evidence()
                    .touched(refusal.process(), refusal.startedAt(), next.startedAt()))
        .map(next -> ViolationKind.DUPLICATED.found("%s follows %s", next, refusal));
  }

  /**
   * A failed attempt is followed by the next after the pause of its policy, and no sooner. One that
   * began after the next one had waited, with its lock, on a node that stood still.
   */
  static List<RuleViolation> retryPause(FlowHistory history) {
    Map<String, TestActivity> byKey = new HashMap<>();
    Map<String, TestFlow> flows = new HashMap<>();
    history.flows().forEach(flow -> flows.put(flow.id(), flow));
    for (FlowHistory.EffectRow row : history.bookings()) {
      Optional.ofNullable(flows.get(row.flow()))
          .ifPresent(flow -> byKey.put(row.key(), flow.activity(row.number())));
    }
    List<RuleViolation> findings = new ArrayList<>();
    history
        .triedByKey()
        .forEach(
            (key, attempts) -> {
              for (ObservedActivityAttempt failed : attempts) {
                Optional<Duration> least =
                    Optional.ofNullable(byKey.get(key))
                        .flatMap(activity -> activity.untilNext(failed.attempt()));
                attempts.stream()
                    .filter(next -> next.attempt() == failed.attempt() + 1)
                    .map(next -> Duration.between(failed.startedAt(), next.startedAt()))
                    .filter(span -> !span.isNegative())
                    .filter(
                        span ->
                            least
                                .map(it -> span.plus(EXACT_OF_ATTEMPT_FENCING).compareTo(it) < 0)
                                .orElse(false))
                    .forEach(
                        span ->
                            findings.add(
                                ViolationKind.INTERVAL.found(
                                    "%s: attempt %d began %d ms after the one before, not %d ms",
                                    key,
                                    failed.attempt() + 1,
                                    span.toMillis(),
                                    least.orElseThrow().toMillis())));
              }
            });
    return findings;
  }

  /** Claims commit asynchronously, so a crash of Postgres may lose one; its ack then fails. */
  private static boolean forgotten(
      FlowHistory history, ObservedActivityAttempt one, ObservedActivityAttempt other) {
    return history.crashes().stream()
        .anyMatch(crash -> one.startedAt().isBefore(crash) != other.startedAt().isBefore(crash));
  }

  private static Optional<RuleViolation> judgeAttemptFencing(
      EventRow answer, int attempt, List<ObservedActivityAttempt> attempts) {
    boolean done =
        attempts.stream().anyMatch(one -> one.attempt() == attempt && one.ended().isPresent());
    if (!done) {
      return Optional.of(ViolationKind.INVENTED.found(answer + ", which never ended"));
    }
    Instant sent = answer.at().orElse(answer.written()).minus(EXACT_OF_ATTEMPT_FENCING);
    return attempts.stream()
        .filter(later -> later.attempt() > attempt && later.startedAt().isBefore(sent))
        .findFirst()
        .map(
            later ->
                ViolationKind.DUPLICATED.found(
                    "%s was accepted at %s, but attempt %d ran in %s since %s",
                    answer,
                    answer.at().map(Instant::toString).orElse("?"),
                    later.attempt(),
                    later.process(),
                    later.startedAt()));
  }

  /**
   * Timers use the database's clock: none fires before it is due, and none is due later than
   * requested, whatever the clocks of nodes and clients.
   */
  static List<RuleViolation> timer(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, EventRow> timers = new HashMap<>();
    Map<String, Duration> longest = new HashMap<>();
    history
        .evidence()
        .calm()
        .forEach(flow -> flow.leftOpen().ifPresent(open -> longest.put(flow.id(), open)));
    for (EventRow event : history.events()) {
      if (event.timer()) {
        var _ = timers.put(event.key(event.id()), event);
        Instant due = event.fireAt().orElse(event.written());
        Duration most = longest.getOrDefault(event.instance(), history.timerMax());
        if (due.isAfter(event.written().plus(most).plus(NEARLY))) {
          findings.add(
              ViolationKind.INTERVAL.found(
                  event + " is due later than " + most.toMillis() + " ms from then"));
        }
      }
      EventRow timer =
          event.type().equals("TimerFired")
              ? timers.get(event.key(event.order().orElse(0L)))
              : null;
      if (timer != null
          && event
              .written()
              .plus(EXACT_OF_TIMER)
              .isBefore(timer.fireAt().orElse(event.written()))) {
        findings.add(ViolationKind.INTERVAL.found(event + " fired early, see " + timer));
      }
    }
    return findings;
  }

  /**
   * Work goes on as soon as it can: an activity begins soon after it was scheduled, its result is
   * written soon after it ended, and a timer fires soon after it is due. While nothing else happens
   * this shows each wake-up that is lost, which otherwise the next one would hide.
   */
  static List<RuleViolation> promptness(FlowHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Set<String> calm = new HashSet<>();
    history.evidence().calm().stream().map(TestFlow::id).forEach(calm::add);
    Map<String, EventRow> known = new HashMap<>();
    Map<String, List<ObservedActivityAttempt>> attempts = history.triedByKey();
    for (EventRow event : history.events()) {
      boolean quiet = calm.contains(event.instance());
      known.put(event.key(event.id()), event);
      if (quiet) {
        attempts.getOrDefault(event.key(event.id()), List.of()).stream()
            .map(ObservedActivityAttempt::startedAt)
            .min(Instant::compareTo)
            .flatMap(begun -> late(event.written(), begun, CALM_MAX))
            .ifPresent(took -> findings.add(found(event, "began", took)));
      }
      EventRow order = known.get(event.key(event.order().orElse(0L)));
      if (order == null) {
        continue;
      }
      if (event.type().equals("TimerFired")) {
        Instant due = order.fireAt().orElse(event.written());
        // While nodes start, a turn may be so late that its timer is due before it is there.
        Instant since = due.isAfter(order.written()) ? due : order.written();
        boolean excused = !quiet && history.evidence().troubled(order.written(), event.written());
        late(since, event.written(), quiet ? CALM_MAX : BUSY_MAX)
            .filter(_ -> !excused)
            .ifPresent(took -> findings.add(found(event, "fired", took)));
      } else if (quiet) {
        attempts.getOrDefault(event.key(order.id()), List.of()).stream()
            .flatMap(attempt -> attempt.ended().stream())
            .max(Instant::compareTo)
            .flatMap(ended -> late(ended, event.written(), CALM_MAX))
            .ifPresent(took -> findings.add(found(event, "was written", took)));
      }
    }
    return findings;
  }

  private static Optional<Duration> late(Instant since, Instant at, Duration most) {
    return Optional.of(Duration.between(since, at)).filter(took -> took.compareTo(most) > 0);
  }

  private static RuleViolation found(EventRow event, String what, Duration took) {
    return ViolationKind.LATE.found("%s %s %d ms late", event, what, took.toMillis());
  }

  /**
   * Other nodes take over a killed node's items by detecting its death, sooner than any lock would
   * have expired.
   */
  static List<RuleViolation> itemRestart(FlowHistory history) {
    return history.restarts().stream()
        .filter(ItemRestart::alone)
        .filter(
            restart ->
                restart
                    .elapsed()
                    .filter(took -> took.compareTo(history.restartMax()) > 0)
                    .isPresent())
        .map(
            restart ->
                ViolationKind.LATE.found(
                    "%s, held by %s when it was killed at %s, restarted %d ms later",
                    restart.key(),
                    restart.node(),
                    restart.killed(),
                    restart.elapsed().orElseThrow().toMillis()))
        .toList();
  }
}
