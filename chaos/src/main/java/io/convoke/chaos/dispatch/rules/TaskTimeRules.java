package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * When tasks move on: before they expire, soon after the death of their pod, and not after a stop.
 */
final class TaskTimeRules {
  /** Tolerance where Redis lost data, so that the database's clock and latency count too. */
  private static final Duration BY_DATABASE = Duration.ofSeconds(1);

  /** From the end of its window until a task is marked, and a moment on a busy machine. */
  private static final Duration MARKED = Duration.ofSeconds(3);

  /** The wait before the second try. */
  private static final Duration BACKOFF = Duration.ofSeconds(1);

  /** From the return of Redis until it has a stop that was acknowledged meanwhile. */
  private static final Duration APPLIED = Duration.ofSeconds(4);

  /** Errors of tasks that were taken from their pod. */
  private static final Pattern RECLAIMED = Pattern.compile("its lease ended|its pod .* died");

  private static final Duration GRAIN_OF_SILENT_POD = Duration.ofMillis(500);
  private static final Duration GRAIN_OF_QUEUE_TIMEOUT = Duration.ofMillis(2);
  private static final Duration GRAIN_OF_STOPPED_TASK = Duration.ofMillis(5);

  /** Time from a claim to its program's first log line, on a busy machine. */
  private static final Duration START_MAX = Duration.ofSeconds(4);

  private TaskTimeRules() {}

  /**
   * No task is claimed after its queue timeout or before its retry delay is over, and none expires
   * before its queue timeout. All times are Redis' own clock. Where Redis lost its data it may have
   * lost whole attempts, too: if the number of a claim shows that, it is not known how long the
   * task had waited.
   */
  static List<RuleViolation> queueTimeout(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    history.transitionsByTask().values().forEach(transitions -> of(history, transitions, findings));
    return findings;
  }

  /** Accepted tasks that could not be enqueued in Redis at once have waited since then. */
  private static Instant began(
      TaskHistory history, List<ObservedTransition> transitions, ObservedTransition transition) {
    return history
        .row(transition.id())
        .map(TaskRow::createdAt)
        .filter(
            created ->
                transition.equals(transitions.getFirst()) && created.isBefore(transition.at()))
        .orElse(transition.pendingAt().orElse(transition.at()));
  }

  private static void of(
      TaskHistory history, List<ObservedTransition> transitions, List<RuleViolation> findings) {
    // When it began to wait, and when that was last recorded: a rebuild records it again.
    Instant first = null;
    Instant since = null;
    int attempt = 0;
    int retries = 0;
    Duration window = history.limits().window();
    for (ObservedTransition transition : transitions) {
      if (since != null && first != null) {
        Duration waited = Duration.between(since, transition.at());
        Duration whole = Duration.between(first, transition.at());
        boolean troubled = history.troubled(min(since, transition.at()), transition.at());
        Duration grain = troubled ? BY_DATABASE : GRAIN_OF_QUEUE_TIMEOUT;
        boolean known =
            transition.attempt() <= attempt + 1
                || !history.forgotten(min(since, transition.at()), transition.at());
        if (transition.claim() && known && waited.compareTo(window.plus(grain)) > 0) {
          findings.add(ViolationKind.LATE.found(transition + ": it had waited for " + waited));
        }
        boolean rebuilt =
            since.isBefore(first) && history.forgotten(since, transition.at().plus(grain));
        if (transition.claim() && !rebuilt && whole.plus(grain).isNegative()) {
          findings.add(
              ViolationKind.ILLEGAL.found(transition + ": its retry delay ends at " + first));
        }
        Instant begin = transition.attempt() == 0 ? first : since;
        Duration marked = Duration.between(begin, transition.at());
        if (transition.state().equals("TIMEOUT")
            && marked.compareTo(window.plus(MARKED)) > 0
            && !disturbed(history, begin, transition.at())) {
          findings.add(
              ViolationKind.LATE.found(transition + ": it is marked after " + marked + " only"));
        }
        if (transition.state().equals("TIMEOUT") && whole.plus(grain).compareTo(window) < 0) {
          findings.add(
              ViolationKind.ILLEGAL.found(transition + ": it had waited for " + whole + " only"));
        }
      }
      boolean waits = transition.state().equals("PENDING");
      if (waits && transition.error().equals(TaskResultRules.NOT_NOW)) {
        retries++;
        backoff(history, transition, retries).ifPresent(findings::add);
      }
      if (transition.returned() && ahead(history, transition)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": its pod gave it back, it waits"));
      }
      if (waits && attempt > 0 && early(history, transition)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": it has no window of its own"));
      }
      first = !waits ? null : first == null ? began(history, transitions, transition) : first;
      since = waits ? transition.pendingAt().orElse(transition.at()) : null;
      attempt = transition.attempt();
    }
  }

  /**
   * The wait before another try: a second, doubled with each failure in a row, and a tenth at most;
   * other failures than those that programs report may have come between.
   */
  private static Optional<RuleViolation> backoff(
      TaskHistory history, ObservedTransition transition, int retries) {
    Duration wait =
        Duration.between(transition.at(), transition.pendingAt().orElse(transition.at()));
    Duration least = BACKOFF.multipliedBy(1L << (retries - 1));
    Duration most = BACKOFF.multipliedBy(1L << transition.attempt()).multipliedBy(11).dividedBy(20);
    boolean right =
        wait.compareTo(least) >= 0 && wait.minus(BACKOFF.dividedBy(10)).compareTo(most) <= 0;
    return right || history.forgotten(Instant.MIN, transition.at().plus(MARKED))
        ? Optional.empty()
        : Optional.of(
            ViolationKind.ILLEGAL.found(
                "%s: it waits for %s, not %s to %s", transition, wait, least, most));
  }

  /**
   * Whether any fault of a server or store could be felt: they mark what has timed out. A Redis
   * that was emptied gets waiting tasks back with their windows.
   */
  private static boolean disturbed(TaskHistory history, Instant since, Instant until) {
    return history.evidence().windows().stream()
        .filter(window -> !window.what().equals(FaultTimeline.EMPTIED))
        .filter(
            window ->
                window.target().startsWith(FaultTimeline.SERVER)
                    || window.target().startsWith(FaultTimeline.REDIS)
                    || window.target().startsWith(FaultTimeline.POSTGRES))
        .anyMatch(window -> window.touches(since, until));
  }

  private static boolean ahead(TaskHistory history, ObservedTransition transition) {
    return transition
            .pendingAt()
            .map(at -> at.isAfter(transition.at().plus(GRAIN_OF_QUEUE_TIMEOUT)))
            .orElse(false)
        && !history.forgotten(transition.at().minus(history.limits().window()), transition.at());
  }

  /** Whether a task that came back waits since an earlier time. */
  private static boolean early(TaskHistory history, ObservedTransition transition) {
    return transition.pendingAt().map(at -> at.isBefore(transition.at())).orElse(false)
        && !history.forgotten(transition.at().minus(history.limits().window()), transition.at());
  }

  private static Instant min(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  /**
   * A pod that is silent keeps its tasks until it counts as dead, which is so long after its last
   * heartbeat; it sends three in that time.
   */
  static List<RuleViolation> silentPod(TaskHistory history) {
    Duration least =
        history.limits().silent().multipliedBy(2).dividedBy(3).minus(GRAIN_OF_SILENT_POD);
    List<RuleViolation> findings = new ArrayList<>();
    history
        .transitionsByTask()
        .values()
        .forEach(
            moves -> {
              for (int i = 1; i < moves.size(); i++) {
                ObservedTransition back = moves.get(i);
                Optional<String> pod = moves.get(i - 1).pod();
                Optional<Instant> since =
                    pod.flatMap(name -> silentSince(history, name, back.at()));
                if (back.returned()
                    && RECLAIMED.matcher(back.error()).matches()
                    && since.isPresent()
                    && back.at().isBefore(since.get().plus(least))
                    && !history.forgotten(since.get().minus(history.limits().lease()), back.at())) {
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          "%s: its pod %s is silent since %s only", back, pod.get(), since.get()));
                }
              }
            });
    return findings;
  }

  /** Since when a pod was not heard, with what may count to it. */
  private static Optional<Instant> silentSince(TaskHistory history, String pod, Instant at) {
    return history.silences().stream()
        .filter(silent -> silent.pod().equals(pod) && silent.from().isBefore(at))
        .filter(silent -> !silent.over(at.minus(history.limits().lease())))
        .map(SilentPod::from)
        .min(Instant::compareTo);
  }

  /**
   * Tasks of an unreachable pod move on: its death is detectable after a silence, and {@linkplain
   * TaskHistory.TaskLimits#stranded soon} after that the task is queued again or has ended, unless
   * the pod was reachable again by then. Silence counts only while a server runs maintenance; where
   * Redis may have lost the task's holder, the pod keeps the task for a full lease.
   */
  static List<RuleViolation> strandedTask(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (StrandedTask stranded : taken(history)) {
      Instant limit = limit(history, stranded.silence().from());
      boolean late =
          stranded.moved().map(at -> at.isAfter(limit)).orElse(false)
              && !stranded.silence().over(limit);
      if (late) {
        findings.add(
            ViolationKind.LATE.found(
                "%s: its task was reassigned %d ms after its death was detectable: %s",
                stranded.silence(), stranded.late(history).toMillis(), stranded.claim()));
      }
    }
    return findings;
  }

  /**
   * A task that a pod held when it became unreachable.
   *
   * @param moved when it moved on, if it did
   */
  record StrandedTask(SilentPod silence, ObservedTransition claim, Optional<Instant> moved) {
    /** Delay since the death was detectable. */
    Duration late(TaskHistory history) {
      Instant noticeable = silence.from().plus(history.limits().silent());
      return Duration.between(noticeable, moved.orElse(noticeable));
    }

    /** Whether it moved on because of the pod's death, without an outage meanwhile. */
    boolean alone(TaskHistory history) {
      return moved.isPresent()
          && !late(history).isNegative()
          && !silence.over(moved.get())
          && !history.troubled(silence.from(), moved.get());
    }
  }

  static List<StrandedTask> taken(TaskHistory history) {
    Collection<List<ObservedTransition>> tasks = history.transitionsByTask().values();
    List<StrandedTask> all = new ArrayList<>();
    for (SilentPod silentPod : history.silences()) {
      for (List<ObservedTransition> transitions : tasks) {
        for (int i = 0; i < transitions.size(); i++) {
          ObservedTransition claim = transitions.get(i);
          Optional<Instant> moved = movedOn(history, silentPod, transitions, i);
          if (claim.claim()
              && claim.pod().equals(Optional.of(silentPod.pod()))
              && claim.at().isBefore(silentPod.from())
              && moved.map(at -> at.isAfter(silentPod.from())).orElse(true)) {
            all.add(new StrandedTask(silentPod, claim, moved));
          }
        }
      }
    }
    return all;
  }

  /**
   * When it moved on, as far as is known: a later attempt that began before the journal's next
   * event proves that Redis lost the event that made room for it.
   */
  private static Optional<Instant> movedOn(
      TaskHistory history, SilentPod silentPod, List<ObservedTransition> transitions, int claim) {
    return transitions.stream()
        .skip(claim + 1L)
        .filter(transition -> !transition.type().equals(ObservedTransition.STOPPING))
        .map(ObservedTransition::at)
        .findFirst()
        .filter(
            at ->
                !history.forgotten(silentPod.from(), at)
                    || history.attempts(transitions.get(claim).id()).stream()
                        .filter(attempt -> attempt.number() > transitions.get(claim).attempt())
                        .noneMatch(attempt -> attempt.startedAt().isBefore(at)));
  }

  /** After an outage of maintenance the time limit starts again. */
  private static Instant limit(TaskHistory history, Instant silent) {
    Duration soon = history.limits().stranded();
    Duration dead = history.limits().silent().plus(soon);
    Duration kept = history.limits().lease().plus(soon);
    return postponed(history, silent, silent.plus(dead), outage -> outage.forgets() ? kept : dead);
  }

  /** The limit, or so long after the last outage that touches the time until it. */
  private static Instant postponed(
      TaskHistory history, Instant start, Instant limit, Function<RecoveryOutage, Duration> more) {
    Instant later =
        history.troubles().stream()
            .filter(outage -> outage.touches(start, limit))
            .map(outage -> outage.to().plus(more.apply(outage)))
            .max(Instant::compareTo)
            .orElse(limit);
    return later.isAfter(limit) ? postponed(history, start, later, more) : limit;
  }

  /**
   * A stopped task is not claimed: no claim follows the acknowledgement of the stop, and the task
   * ends as stopped or had ended before. A stop acknowledged while Redis was down is stored and
   * applied later; until then the task may be claimed.
   */
  static List<RuleViolation> stoppedTask(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (StopCall stop : history.stops()) {
      if (stop.acknowledged()) {
        List<ObservedTransition> transitions = transitionsByTask.getOrDefault(stop.id(), List.of());
        started(history, stop, transitions, findings);
        ended(history, stop, findings);
      }
    }
    return findings;
  }

  private static void started(
      TaskHistory history,
      StopCall stop,
      List<ObservedTransition> transitions,
      List<RuleViolation> findings) {
    Instant from = applied(history, stop);
    for (ObservedTransition transition : transitions) {
      if (transition.claim() && transition.at().isAfter(from)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + " was claimed after " + stop));
      }
    }
    for (ObservedAttempt attempt : history.attempts(stop.id())) {
      if (attempt.startedAt().isAfter(from.plus(START_MAX))) {
        findings.add(ViolationKind.ILLEGAL.found(attempt + " began after " + stop));
      }
    }
  }

  /** When Redis surely has the stop: a while after the last outage that touches it. */
  private static Instant applied(TaskHistory history, StopCall stop) {
    Instant known = stop.answered().plus(GRAIN_OF_STOPPED_TASK);
    return postponed(history, stop.sent().minusSeconds(1), known, _ -> APPLIED);
  }

  /** Whether Redis may have received the stop late. */
  private static boolean mayBeLate(TaskHistory history, StopCall stop) {
    return history.troubled(
        stop.sent().minusSeconds(1), stop.answered().plus(GRAIN_OF_STOPPED_TASK));
  }

  private static void ended(TaskHistory history, StopCall stop, List<RuleViolation> findings) {
    Optional<TaskRow> found = history.row(stop.id());
    if (found.isEmpty()) {
      findings.add(ViolationKind.LOST.found(stop + ": the database has no such task"));
      return;
    }
    TaskRow row = found.get();
    boolean before = row.completedAt().map(at -> at.isBefore(stop.answered())).orElse(false);
    boolean stopped =
        row.state().equals("SUCCESS")
            || (row.state().equals("FAILED") && row.error().equals("stopped"))
            || (row.state().equals("TIMEOUT") && mayBeLate(history, stop));
    if (!before && !stopped && row.terminal()) {
      findings.add(ViolationKind.ILLEGAL.found(row + " does not end as stopped by " + stop));
    }
  }
}
