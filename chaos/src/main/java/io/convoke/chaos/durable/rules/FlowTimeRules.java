package io.convoke.chaos.durable.rules;

import io.convoke.chaos.durable.flow.TestFlow;
import io.convoke.chaos.durable.rules.FlowHistory.ItemRestart;
import io.convoke.chaos.durable.rules.FlowHistory.ObservedActivityAttempt;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
    for (EventRow event : history.events()) {
      if (event.timer()) {
        var _ = timers.put(event.key(event.id()), event);
        Instant due = event.fireAt().orElse(event.written());
        if (due.isAfter(event.written().plus(history.timerMax()).plus(NEARLY))) {
          findings.add(
              ViolationKind.INTERVAL.found(
                  event + " is due later than " + history.timerMax().toMillis() + " ms from then"));
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
    Map<String, EventRow> scheduled = new HashMap<>();
    Map<String, List<ObservedActivityAttempt>> attempts = history.triedByKey();
    for (EventRow event : history.events()) {
      boolean quiet = calm.contains(event.instance());
      if (event.activity() || event.timer()) {
        scheduled.put(event.key(event.id()), event);
      }
      if (event.activity() && quiet) {
        attempts.getOrDefault(event.key(event.id()), List.of()).stream()
            .map(ObservedActivityAttempt::startedAt)
            .min(Instant::compareTo)
            .flatMap(begun -> late(event.written(), begun, CALM_MAX))
            .ifPresent(took -> findings.add(found(event, "began", took)));
      }
      EventRow order = scheduled.get(event.key(event.order().orElse(0L)));
      if (order != null && event.type().equals("TimerFired")) {
        Instant due = order.fireAt().orElse(event.written());
        Optional<Duration> took = late(due, event.written(), quiet ? CALM_MAX : BUSY_MAX);
        if (took.isPresent()
            && (quiet || !history.evidence().troubled(order.written(), event.written()))) {
          findings.add(found(event, "fired", took.get()));
        }
      } else if (order != null && quiet && event.answer()) {
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
