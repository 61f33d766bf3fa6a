package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.ChaosProgram;
import io.convoke.chaos.dispatch.rules.TaskHistory.DrainedPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RecoveryOutage;
import io.convoke.chaos.dispatch.rules.TaskHistory.SilentPod;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which pods run tasks: one for each attempt, of the right region, within its slots, and none that
 * is drained.
 */
final class TaskHolderRules {
  /** Time from a claim to its program's first log line, on a busy machine. */
  private static final Duration START_MAX = Duration.ofSeconds(2);

  /** Time from an event in Redis until it is in the journal, with the loss of a power failure. */
  private static final Duration RELAYED = Duration.ofSeconds(4);

  private static final Duration GRAIN_OF_POD_DRAIN = Duration.ofMillis(5);

  /** Time for the pod to receive the drain. */
  private static final Duration HEARD_OF_POD_DRAIN = Duration.ofSeconds(1);

  /** Log times have a precision of a hundredth of a second. */
  private static final Duration GRAIN_OF_POD_SLOT = Duration.ofMillis(30);

  /** What keeps a pod from ending a program. */
  private static final Set<String> STOPPED =
      Set.of(ChaosProgram.Silence.KILLED, ChaosProgram.Silence.HUNG);

  /** From the end of a lease until its program has ended, on a busy machine. */
  private static final Duration ENDED_WITHIN = Duration.ofMillis(1500);

  /** Time for a pod to hear of the end, on a busy machine. */
  private static final Duration HEARD_OF_PROGRAM_END = Duration.ofSeconds(4);

  /** What a dead pod leaves running gets SIGTERM, and SIGKILL 2 s later. */
  private static final Duration ENDED_WITHIN_OF_KILLED_POD = Duration.ofSeconds(4);

  /** From the end of a program until Redis has confirmed its result. */
  private static final Duration CONFIRMED = Duration.ofMillis(700);

  /** From a result in Redis until it is stored, though the server that stores it hangs. */
  private static final Duration STORED = Duration.ofSeconds(10);

  /** What outages have at their end until Redis surely was compared. */
  private static final Duration SURELY_COMPARED = Duration.ofSeconds(6);

  private static final Duration GRAIN_OF_TASK_REGION = Duration.ofMillis(50);

  /** Time for a killed or drained pod to be replaced. */
  private static final Duration RETURNS = Duration.ofSeconds(5);

  private TaskHolderRules() {}

  /**
   * An attempt has one holder: the pod that the journal names. A claimed attempt that never began
   * is allowed, since its pod may have died before. None begins after the task has ended.
   */
  static List<RuleViolation> singleHolder(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, ObservedAttempt> holders = new HashMap<>();
    for (ObservedAttempt attempt : history.attempts()) {
      ObservedAttempt other = holders.put(name(attempt), attempt);
      if (other != null && !again(history, other, attempt)) {
        findings.add(
            ViolationKind.DUPLICATED.found(
                "one attempt has two holders: " + other + " and " + attempt));
      }
    }
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (ObservedAttempt attempt : history.attempts()) {
      List<ObservedTransition> claims =
          transitionsByTask.getOrDefault(attempt.id(), List.of()).stream()
              .filter(transition -> transition.claim() && transition.attempt() == attempt.number())
              .toList();
      givenSingleHolder(history, attempt, claims)
          .ifPresent(why -> findings.add(ViolationKind.INVENTED.found(attempt + ": " + why)));
      history
          .row(attempt.id())
          .flatMap(TaskRow::completedAt)
          .filter(end -> attempt.startedAt().isAfter(end.plus(START_MAX)))
          .ifPresent(
              end ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          attempt + " began after the task had ended at " + end)));
    }
    return findings;
  }

  /**
   * Where Redis lost its last second, with several attempts of one task in it, an attempt number
   * may be reused; but not before its first holder has ended.
   */
  private static boolean again(
      TaskHistory history, ObservedAttempt before, ObservedAttempt attempt) {
    return history.forgotten(before.startedAt().minus(START_MAX), attempt.startedAt())
        && before.ended().map(end -> end.isBefore(attempt.startedAt())).orElse(false);
  }

  private static Optional<String> givenSingleHolder(
      TaskHistory history, ObservedAttempt attempt, List<ObservedTransition> claims) {
    if (claims.stream()
        .anyMatch(transition -> transition.pod().equals(Optional.of(attempt.pod())))) {
      return Optional.empty();
    }
    // Events that Redis lost before they were relayed are in no journal; a server that hangs may
    // have taken some.
    Instant relayed = attempt.startedAt().plus(RELAYED);
    boolean hung =
        history.evidence().windows().stream()
            .filter(window -> window.what().equals(FaultTimeline.HANG))
            .filter(window -> window.target().startsWith(FaultTimeline.SERVER))
            .anyMatch(window -> window.touches(attempt.startedAt(), relayed));
    return history.forgotten(
            attempt.startedAt().minusSeconds(1), hung ? attempt.startedAt().plus(STORED) : relayed)
        ? Optional.empty()
        : Optional.of("the journal has another holder: " + claims);
  }

  private static String name(ObservedAttempt attempt) {
    return attempt.id() + " " + attempt.number();
  }

  /**
   * A drained pod claims no task. The pod remembers the drain even if Redis loses it; no rule
   * applies where the pod may not have received it before Redis lost data, nor from when the pod
   * counted as dead, since Redis then forgets it. Tasks claimed before stay with the pod, though a
   * rebuild may record them again.
   */
  static List<RuleViolation> podDrain(TaskHistory history) {
    return history.drained().stream()
        .filter(
            drained -> !history.forgotten(drained.from(), drained.from().plus(HEARD_OF_POD_DRAIN)))
        .flatMap(drained -> givenPodDrain(history, drained))
        .toList();
  }

  private static Stream<RuleViolation> givenPodDrain(TaskHistory history, DrainedPod drained) {
    return history.transitions().stream()
        .filter(claim -> claim.claim() && claim.pod().equals(Optional.of(drained.pod())))
        .filter(claim -> claim.at().isAfter(drained.from().plus(GRAIN_OF_POD_DRAIN)))
        .filter(claim -> claim.at().isBefore(drained.to()))
        .filter(claim -> !dead(history, drained, claim.at()) && !givenBefore(history, claim))
        .map(claim -> ViolationKind.ILLEGAL.found(claim + " went to a draining pod: " + drained));
  }

  /** Whether the pod may have counted as dead at a time of its drain, before that or since. */
  private static boolean dead(TaskHistory history, DrainedPod drained, Instant at) {
    return history.silences().stream()
        .filter(silent -> silent.pod().equals(drained.pod()))
        .anyMatch(
            silent ->
                silent.from().plus(history.limits().silent()).isBefore(at)
                    && !silent.over(drained.from().minus(HEARD_OF_POD_DRAIN)));
  }

  private static boolean givenBefore(TaskHistory history, ObservedTransition again) {
    return history.transitions().stream()
        .anyMatch(
            transition ->
                transition.seq() < again.seq()
                    && transition.id().equals(again.id())
                    && transition.attempt() == again.attempt()
                    && transition.pod().equals(again.pod()));
  }

  /**
   * What a program has done is not done again: an attempt that ended with a result, on a pod that
   * lived on, is the last. A pod reports its result until that is stored; Redis may forget what it
   * confirmed just before.
   */
  static List<RuleViolation> finishedWork(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedAttempt attempt : history.attempts()) {
      if (attempt.endedWith("0") || attempt.endedWith("1")) {
        Instant end = attempt.ended().orElseThrow();
        history.transitions().stream()
            .filter(claim -> claim.claim() && claim.id().equals(attempt.id()))
            .filter(claim -> claim.attempt() > attempt.number() && claim.at().isAfter(end))
            .filter(claim -> !disturbed(history, attempt, claim.at()))
            .filter(_ -> !lost(history, end) && !unknown(history, end))
            .findFirst()
            .ifPresent(
                claim ->
                    findings.add(
                        ViolationKind.DUPLICATED.found(
                            claim + " though attempt " + attempt + " had a result")));
      }
    }
    return findings;
  }

  /**
   * A pod that lives keeps what it runs, however long and whether it is drained or not, while
   * nothing disturbs it: its lease does not end, and it gives no task back that its program does
   * not.
   */
  static List<RuleViolation> keptLease(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedTransition back : history.transitions()) {
      if (back.returned()) {
        history.attempts(back.id()).stream()
            .filter(attempt -> attempt.number() == back.attempt())
            .filter(attempt -> attempt.startedAt().isBefore(back.at()))
            .filter(
                attempt ->
                    attempt.endedWith(ObservedAttempt.STOPPED)
                        || attempt.ended().map(end -> end.isAfter(back.at())).orElse(false))
            .filter(attempt -> !disturbed(history, attempt, back.at()))
            .filter(attempt -> !history.troubled(attempt.startedAt().minus(START_MAX), back.at()))
            .forEach(
                attempt ->
                    findings.add(
                        ViolationKind.ILLEGAL.found("%s was taken from %s", back, attempt)));
      }
    }
    return findings;
  }

  /** Whether Redis did not know tasks for longer than a pod reports a result. */
  private static boolean unknown(TaskHistory history, Instant result) {
    return history.troubles().stream()
        .filter(TaskHistory.RecoveryOutage::forgets)
        .filter(trouble -> trouble.touches(result, result.plus(STORED)))
        .anyMatch(
            trouble ->
                Duration.between(trouble.from(), trouble.to())
                        .minus(SURELY_COMPARED)
                        .compareTo(history.limits().lease())
                    > 0);
  }

  /**
   * Whether Redis may have lost a result of this time before a server had stored it. What ends
   * while Redis is away is reported once it is back.
   */
  private static boolean lost(TaskHistory history, Instant result) {
    List<FaultWindow> windows = history.evidence().windows();
    return windows.stream()
        .filter(window -> window.target().equals(FaultTimeline.REDIS + FaultTimeline.FORGOT))
        .anyMatch(
            window -> {
              Instant loss =
                  windows.stream()
                      .filter(it -> it.target().equals(FaultTimeline.REDIS + FaultTimeline.GONE))
                      .map(FaultWindow::from)
                      .filter(from -> !from.isBefore(window.from()) && from.isBefore(window.to()))
                      .max(Instant::compareTo)
                      .orElse(window.from());
              return result.isAfter(window.from().minus(STORED))
                  && result.isBefore(loss.plus(CONFIRMED));
            });
  }

  /** Whether the pod of an attempt could not be reached at some time until then. */
  private static boolean disturbed(TaskHistory history, ObservedAttempt attempt, Instant until) {
    return history.silences().stream()
        .filter(silent -> silent.pod().equals(attempt.pod()) || silent.pod().equals(attempt.life()))
        .anyMatch(silent -> silent.from().isBefore(until) && !silent.over(attempt.startedAt()));
  }

  /**
   * A pod never runs more programs at once than it has slots, each in one of its own. Only programs
   * that logged their end are counted: of others it is not known how long they ran.
   */
  static List<RuleViolation> podSlot(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedAttempt>> byPod =
        history.attempts().stream()
            .filter(attempt -> attempt.ended().isPresent())
            .collect(Collectors.groupingBy(ObservedAttempt::pod));
    byPod.forEach(
        (pod, attempts) -> {
          for (ObservedAttempt one : attempts) {
            List<ObservedAttempt> together =
                attempts.stream()
                    .filter(other -> !other.startedAt().isAfter(one.startedAt()))
                    .filter(
                        other ->
                            other
                                .ended()
                                .orElseThrow()
                                .isAfter(one.startedAt().plus(GRAIN_OF_POD_SLOT)))
                    .toList();
            together.stream()
                .filter(other -> other.startedAt().isBefore(one.startedAt()))
                .filter(other -> other.slot().equals(one.slot()))
                .forEach(
                    other ->
                        findings.add(
                            ViolationKind.COUNT.found("%s and %s have one slot", other, one)));
            if (together.size() > history.evidence().slots()) {
              findings.add(
                  ViolationKind.COUNT.found(
                      "pod %s runs %d programs at once: %s", pod, together.size(), together));
              break;
            }
          }
        });
    return findings;
  }

  /**
   * A program does not run on after its attempt is over: not after its task has ended or has gone
   * to another pod, beyond the grace of its signals, nor for its whole time after an acknowledged
   * stop. Pods that were unreachable are excused, since they could not know; what one that was
   * killed leaves running is ended for it.
   */
  static List<RuleViolation> programEnd(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedAttempt attempt : history.attempts()) {
      Optional<Instant> over = over(history, attempt);
      Optional<Instant> latest =
          over.map(at -> at.plus(history.evidence().grace()).plus(HEARD_OF_PROGRAM_END))
              .filter(at -> attempt.ended().map(end -> end.isAfter(at)).orElse(false));
      if (latest.isPresent() && !excusedProgramEnd(history, attempt, over.get())) {
        findings.add(
            ViolationKind.OPEN.found(
                "%s runs on although its task was over at %s", attempt, over.get()));
      }
    }
    findings.addAll(killedAtOnce(history));
    for (SilentPod killed : history.silences()) {
      if (killed.why().equals(ChaosProgram.Silence.KILLED)) {
        Instant latest = killed.from().plus(ENDED_WITHIN_OF_KILLED_POD);
        history.attempts().stream()
            .filter(attempt -> attempt.pod().equals(killed.pod()))
            .filter(attempt -> attempt.ended().map(end -> end.isAfter(latest)).orElse(false))
            .forEach(
                attempt ->
                    findings.add(ViolationKind.OPEN.found("%s runs on after %s", attempt, killed)));
      }
    }
    return findings;
  }

  /** A program that is asked to stop has its grace: it can say how it ends. */
  private static List<RuleViolation> killedAtOnce(TaskHistory history) {
    Set<String> failing =
        history.requestedTasks().stream()
            .filter(task -> task.end() == TaskHistory.RequestedTask.ProgramEnd.FAILS)
            .map(TaskHistory.RequestedTask::request)
            .collect(Collectors.toSet());
    List<RuleViolation> findings = new ArrayList<>();
    for (TaskRow row : history.rows()) {
      Instant end = row.completedAt().orElse(Instant.MAX);
      if (failing.contains(row.request()) && row.state().equals("SUCCESS")) {
        history.attempts(row.id()).stream()
            .filter(attempt -> attempt.number() == row.attempt() && attempt.ended().isEmpty())
            .filter(attempt -> !disturbed(history, attempt, end))
            .filter(attempt -> !history.troubled(attempt.startedAt(), end))
            .forEach(
                attempt ->
                    findings.add(
                        ViolationKind.ILLEGAL.found(
                            "%s was stopped and had no time to say so", attempt)));
      }
    }
    return findings;
  }

  /**
   * A pod that cannot renew a lease ends the program before another pod may begin it. Only programs
   * that logged their end are judged.
   */
  static List<RuleViolation> leaseEnd(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Duration most = history.limits().lease().plus(history.evidence().grace()).plus(ENDED_WITHIN);
    for (SilentPod cut : history.silences()) {
      Instant latest = cut.from().plus(most);
      if (cut.why().equals(ChaosProgram.Silence.CUT_OFF) && !cut.over(latest)) {
        history.attempts().stream()
            .filter(attempt -> attempt.pod().equals(cut.pod()))
            .filter(attempt -> attempt.startedAt().isBefore(cut.from()))
            .filter(attempt -> attempt.ended().filter(end -> end.isAfter(latest)).isPresent())
            .filter(attempt -> !hung(history, cut, latest))
            .map(
                attempt ->
                    ViolationKind.OPEN.found(
                        "%s runs on without its lease, which its pod could not renew since %s",
                        attempt, cut.from()))
            .forEach(findings::add);
      }
    }
    return findings;
  }

  private static boolean hung(TaskHistory history, SilentPod cut, Instant until) {
    return history.silences().stream()
        .filter(silent -> silent.pod().equals(cut.pod()))
        .filter(silent -> STOPPED.contains(silent.why()))
        .anyMatch(silent -> silent.from().isBefore(until) && !silent.over(cut.from()));
  }

  /**
   * When the attempt was over, or was to be stopped, or another one had begun, whichever came
   * first; and its pod could know.
   */
  private static Optional<Instant> over(TaskHistory history, ObservedAttempt attempt) {
    Stream<Instant> ended = history.row(attempt.id()).flatMap(TaskRow::completedAt).stream();
    Stream<Instant> stopped =
        history.stops().stream()
            .filter(stop -> stop.id().equals(attempt.id()) && stop.acknowledged())
            .map(StopCall::answered);
    Stream<Instant> replaced =
        history.attempts(attempt.id()).stream()
            .filter(other -> other.number() > attempt.number())
            .map(ObservedAttempt::startedAt);
    return Stream.of(ended, stopped, replaced)
        .flatMap(times -> times)
        .min(Instant::compareTo)
        .map(at -> at.isBefore(attempt.startedAt()) ? attempt.startedAt() : at)
        .map(at -> heard(history, at))
        .map(
            at ->
                history.silences().stream()
                    .filter(silent -> silent.pod().equals(attempt.pod()))
                    .filter(silent -> silent.from().isBefore(at.plus(HEARD_OF_PROGRAM_END)))
                    .flatMap(silent -> silent.reachableAgain().stream())
                    .filter(again -> again.isAfter(at))
                    .max(Instant::compareTo)
                    .orElse(at));
  }

  /** When pods can hear of what happened then: not while Redis is away, or no server is up. */
  private static Instant heard(TaskHistory history, Instant at) {
    return history.troubles().stream()
        .filter(outage -> outage.touches(at.minusSeconds(1), at.plusMillis(1)))
        .map(RecoveryOutage::to)
        .map(to -> to.plusSeconds(1))
        .max(Instant::compareTo)
        .orElse(at);
  }

  private static boolean excusedProgramEnd(
      TaskHistory history, ObservedAttempt attempt, Instant over) {
    Instant end = attempt.ended().orElseThrow();
    return history.troubled(over.minusSeconds(1), end)
        || history.silences().stream()
            .anyMatch(
                silent ->
                    silent.pod().equals(attempt.pod())
                        && silent.from().isBefore(end)
                        && !silent.over(over));
  }

  /**
   * A new task for a region goes to a pod of another one only after it has waited for its own, or
   * while that has no live pod. A task that came back may go anywhere.
   */
  static List<RuleViolation> taskRegion(TaskHistory history) {
    Map<String, String> wanted = new HashMap<>();
    history
        .requestedTasks()
        .forEach(task -> task.region().ifPresent(it -> wanted.put(task.request(), it)));
    List<RuleViolation> findings = new ArrayList<>();
    history
        .transitionsByTask()
        .forEach(
            (id, transitions) -> {
              Optional<String> region =
                  history.row(id).flatMap(row -> Optional.ofNullable(wanted.get(row.request())));
              if (region.isPresent()) {
                Instant since = transitions.getFirst().at();
                transitions.stream()
                    .filter(one -> one.claim() && one.attempt() == 1)
                    .findFirst()
                    .flatMap(claim -> judgeTaskRegion(history, claim, since, region.get()))
                    .ifPresent(findings::add);
              }
            });
    return findings;
  }

  /**
   * Whether Redis was away, or a pod of that region may have counted as dead or was drained. A
   * Redis that was emptied gets each task back with its region.
   */
  private static boolean excusedTaskRegion(
      TaskHistory history, Instant since, Instant at, String region) {
    Instant before = since.minus(RETURNS);
    Map<String, String> regions = history.evidence().regions();
    return history.troubles().stream()
            .filter(outage -> !outage.what().equals(FaultTimeline.EMPTIED))
            .anyMatch(outage -> outage.touches(before, at))
        || history.silences().stream()
            .anyMatch(
                silent ->
                    region.equals(regions.getOrDefault(silent.pod(), region))
                        && silent.from().isBefore(at)
                        && silent.from().isAfter(before.minus(RETURNS))
                        && !silent.over(before))
        || history.drained().stream()
            .anyMatch(
                drained ->
                    region.equals(regions.getOrDefault(drained.pod(), region))
                        && drained.from().isBefore(at)
                        && drained.to().isAfter(before));
  }

  private static Optional<RuleViolation> judgeTaskRegion(
      TaskHistory history, ObservedTransition claim, Instant since, String region) {
    String taken =
        claim
            .pod()
            .flatMap(pod -> Optional.ofNullable(history.evidence().regions().get(pod)))
            .orElse(region);
    boolean early =
        claim.at().isBefore(since.plus(history.evidence().overflow()).minus(GRAIN_OF_TASK_REGION));
    return taken.equals(region) || !early || excusedTaskRegion(history, since, claim.at(), region)
        ? Optional.empty()
        : Optional.of(
            ViolationKind.ILLEGAL.found(
                "%s went to a pod in %s after %d ms, it was for %s",
                claim, taken, Duration.between(since, claim.at()).toMillis(), region));
  }
}
