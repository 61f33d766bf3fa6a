package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** No task waits while a pod that may take it has a free slot, and none is overtaken. */
final class TaskIdleRules {
  /** From a free slot or a new task until the claim, on a busy machine. */
  private static final Duration CLAIMED = Duration.ofMillis(3500);

  /** After it was unreachable, drained, or began, a pod may need a moment. */
  private static final Duration SETTLED = Duration.ofSeconds(5);

  private static final Duration GRAIN = Duration.ofMillis(20);

  /** From the row of a task until it is in its queue, if its server lives. */
  private static final Duration AT_ONCE = Duration.ofMillis(500);

  /** Two pods that claim at the same moment may each begin one of a channel. */
  private static final int TURNS = 2;

  /** So many tasks of a region may be begun there for each that has none. */
  private static final int SHARE = 3;

  private TaskIdleRules() {}

  /** A new task that waits since a time, and what happens to it next. */
  private record QueuedTask(String id, Instant since, ObservedTransition next) {}

  /** A period of a pod, or of a task. */
  private record FreeSpan(Instant from, Instant to) {
    /** The parts before, between and after these, which are in order; a part may have no length. */
    List<FreeSpan> without(List<FreeSpan> gone) {
      List<FreeSpan> parts = new ArrayList<>();
      Instant start = from;
      for (FreeSpan each : gone) {
        parts.add(new FreeSpan(start, earlier(to, each.from())));
        start = later(start, each.to());
      }
      parts.add(new FreeSpan(start, to));
      return parts;
    }

    boolean longer(Duration least) {
      return Duration.between(from, to).compareTo(least) > 0;
    }
  }

  /** A task waits for a slot of its region at once, and for any after the overflow time. */
  static List<RuleViolation> idlePod(TaskHistory history) {
    Map<String, RequestedTask> asked = asked(history);
    Map<String, List<FreeSpan>> free = free(history);
    List<RuleViolation> findings = new ArrayList<>();
    for (TaskRow row : history.rows()) {
      RequestedTask task = asked.get(row.request());
      if (task != null && task.taken()) {
        for (FreeSpan wait : waits(history, row)) {
          free.forEach(
              (pod, spans) -> {
                boolean home = task.region().map(history.regionOf(pod)::equals).orElse(true);
                Instant from = home ? wait.from() : wait.from().plus(history.evidence().overflow());
                idle(history, spans, new FreeSpan(from, wait.to()))
                    .ifPresent(
                        span ->
                            findings.add(
                                ViolationKind.LATE.found(
                                    "%s waits until %s though pod %s has a free slot since %s",
                                    row, wait.to(), pod, span.from())));
              });
        }
      }
    }
    return findings;
  }

  /**
   * New tasks of one channel and region are begun by its pods in the order in which they came. What
   * was not enqueued at once, since its server died, comes later than it says.
   */
  static List<RuleViolation> queueOrder(TaskHistory history) {
    Map<List<String>, List<QueuedTask>> lines = lines(history);
    List<RuleViolation> findings = new ArrayList<>();
    lines.forEach(
        (line, tasks) -> {
          for (QueuedTask later : tasks) {
            tasks.stream()
                .filter(_ -> begunAtHome(history, later, line))
                .filter(first -> first.since().plus(GRAIN).isBefore(later.since()))
                .filter(first -> first.next().at().isAfter(later.next().at().plus(GRAIN)))
                .filter(first -> !history.troubled(first.since().minus(SETTLED), later.next().at()))
                .forEach(
                    first ->
                        findings.add(
                            ViolationKind.SEQUENCE.found(
                                "%s came before %s, and is begun after it", first, later)));
          }
        });
    return findings;
  }

  /**
   * Channels of a region take turns: while a new task is the next of its channel, at most two of
   * another channel are begun that did not come first because they waited for long.
   */
  static List<RuleViolation> channelTurns(TaskHistory history) {
    Map<List<String>, List<QueuedTask>> lines = lines(history);
    List<RuleViolation> findings = new ArrayList<>();
    lines.forEach(
        (line, tasks) ->
            tasks.stream()
                .filter(task -> begunAtHome(history, task, line))
                .filter(task -> tasks.stream().noneMatch(it -> waitsBefore(it, task)))
                .filter(task -> !history.troubled(task.since().minus(SETTLED), task.next().at()))
                .forEach(
                    task ->
                        lines.forEach(
                            (other, rivals) -> {
                              long begun =
                                  rivals.stream()
                                      .filter(_ -> other.get(1).equals(line.get(1)))
                                      .filter(_ -> !other.equals(line))
                                      .filter(rival -> begunAtHome(history, rival, other))
                                      .filter(rival -> begunBefore(history, rival, task))
                                      .count();
                              if (begun > TURNS) {
                                findings.add(
                                    ViolationKind.SEQUENCE.found(
                                        "%s waits while %d of channel %s are begun",
                                        task, begun, other));
                              }
                            })));
    return findings;
  }

  /**
   * While a new task of no region waits, at most three of a region are begun by its pods for each
   * of no region, besides those that come first because they waited for long.
   */
  static List<RuleViolation> sharesOfNoRegion(TaskHistory history) {
    Map<String, RequestedTask> asked = asked(history);
    List<QueuedTask> none = new ArrayList<>();
    for (TaskRow row : history.rows()) {
      RequestedTask task = asked.get(row.request());
      if (task != null && task.taken() && task.region().isEmpty()) {
        queued(history, row).ifPresent(none::add);
      }
    }
    Map<List<String>, List<QueuedTask>> lines = lines(history);
    List<RuleViolation> findings = new ArrayList<>();
    for (QueuedTask task : none) {
      for (String region : Set.copyOf(history.evidence().regions().values())) {
        long own =
            lines.entrySet().stream()
                .filter(line -> line.getKey().get(1).equals(region))
                .flatMap(
                    line ->
                        line.getValue().stream()
                            .filter(it -> begunAtHome(history, it, line.getKey())))
                .filter(it -> begunBefore(history, it, task))
                .count();
        long shared =
            none.stream()
                .filter(it -> it.next().pod().map(history::regionOf).equals(Optional.of(region)))
                .filter(it -> begunBefore(history, it, task))
                .count();
        if (own > SHARE * (shared + 1) + TURNS
            && !history.troubled(task.since().minus(SETTLED), task.next().at())) {
          findings.add(
              ViolationKind.SEQUENCE.found(
                  "%s waits while %d tasks of %s are begun there", task, own, region));
        }
      }
    }
    return findings;
  }

  private static Map<String, RequestedTask> asked(TaskHistory history) {
    return history.requestedTasks().stream()
        .collect(Collectors.toMap(RequestedTask::request, it -> it, (one, _) -> one));
  }

  private static boolean begunAtHome(TaskHistory history, QueuedTask task, List<String> line) {
    return task.next().claim()
        && task.next().pod().map(history::regionOf).equals(Optional.of(line.get(1)));
  }

  /** New tasks by channel and region. */
  private static Map<List<String>, List<QueuedTask>> lines(TaskHistory history) {
    Map<String, RequestedTask> asked = asked(history);
    Map<List<String>, List<QueuedTask>> lines = new HashMap<>();
    for (TaskRow row : history.rows()) {
      RequestedTask task = asked.get(row.request());
      if (task != null && task.taken() && task.region().isPresent()) {
        queued(history, row)
            .ifPresent(
                it ->
                    lines
                        .computeIfAbsent(
                            List.of(task.channel(), task.region().get()), _ -> new ArrayList<>())
                        .add(it));
      }
    }
    return lines;
  }

  /** Whether a task of the same channel waited when the other came. */
  private static boolean waitsBefore(QueuedTask one, QueuedTask other) {
    return one.since().isBefore(other.since()) && one.next().at().isAfter(other.since());
  }

  /** Whether a task is begun while the other waits, and not since it had waited for long. */
  private static boolean begunBefore(TaskHistory history, QueuedTask one, QueuedTask other) {
    Instant aged = one.since().plus(history.evidence().overflow()).minus(AT_ONCE);
    return one.next().at().isAfter(other.since().plus(AT_ONCE))
        && one.next().at().plus(GRAIN).isBefore(other.next().at())
        && one.next().at().isBefore(aged);
  }

  private static Optional<QueuedTask> queued(TaskHistory history, TaskRow row) {
    List<ObservedTransition> moves =
        history.transitions().stream().filter(move -> move.id().equals(row.id())).toList();
    return moves.size() > 1
            && moves.getFirst().attempt() == 0
            && row.createdAt().plus(AT_ONCE).isAfter(moves.getFirst().at())
        ? Optional.of(new QueuedTask(row.id(), moves.getFirst().at(), moves.get(1)))
        : Optional.empty();
  }

  /** A part of the wait in which nothing was wrong and there was a slot all the time. */
  private static Optional<FreeSpan> idle(TaskHistory history, List<FreeSpan> free, FreeSpan wait) {
    return free.stream()
        .map(span -> new FreeSpan(later(span.from(), wait.from()), earlier(span.to(), wait.to())))
        .filter(span -> span.longer(CLAIMED))
        .filter(span -> !history.troubled(span.from().minus(SETTLED), span.to()))
        .findFirst();
  }

  private static List<FreeSpan> waits(TaskHistory history, TaskRow row) {
    List<ObservedTransition> moves =
        history.transitions().stream().filter(move -> move.id().equals(row.id())).toList();
    List<FreeSpan> waits = new ArrayList<>();
    for (int i = 0; i + 1 < moves.size(); i++) {
      if (moves.get(i).state().equals("PENDING")) {
        waits.add(
            new FreeSpan(
                moves.get(i).pendingAt().orElse(moves.get(i).at()), moves.get(i + 1).at()));
      }
    }
    return waits;
  }

  /** The times in which each pod surely has a free slot. */
  private static Map<String, List<FreeSpan>> free(TaskHistory history) {
    Map<String, List<FreeSpan>> free = new HashMap<>();
    for (String pod : history.evidence().regions().keySet()) {
      List<FreeSpan> held = held(history, pod);
      TreeMap<Instant, Integer> changes = new TreeMap<>();
      held.forEach(
          span -> {
            changes.merge(span.from(), 1, Integer::sum);
            changes.merge(span.to(), -1, Integer::sum);
          });
      List<FreeSpan> spans = new ArrayList<>();
      Instant since = null;
      int used = 0;
      for (Map.Entry<Instant, Integer> change : changes.entrySet()) {
        used += change.getValue();
        if (used < history.evidence().slots()) {
          since = since == null ? change.getKey() : since;
        } else if (since != null) {
          spans.add(new FreeSpan(since, change.getKey()));
          since = null;
        }
      }
      if (since != null) {
        spans.add(new FreeSpan(since, Instant.MAX));
      }
      free.put(pod, whole(history, pod, spans));
    }
    return free;
  }

  /** When it holds a task by the journal, or runs a program. */
  private static List<FreeSpan> held(TaskHistory history, String pod) {
    List<FreeSpan> held = new ArrayList<>();
    history
        .transitionsByTask()
        .forEach(
            (id, moves) -> {
              for (int i = 0; i < moves.size(); i++) {
                ObservedTransition move = moves.get(i);
                if (move.claim() && move.pod().equals(Optional.of(pod))) {
                  Optional<Instant> ended =
                      moves.stream()
                          .skip(i + 1L)
                          .filter(it -> !it.type().equals(ObservedTransition.STOPPING))
                          .map(ObservedTransition::at)
                          .findFirst();
                  held.add(
                      new FreeSpan(
                          move.at(), later(ended.orElse(Instant.MAX), program(history, move))));
                }
              }
            });
    return held;
  }

  /** The end of the program of a claim. */
  private static Instant program(TaskHistory history, ObservedTransition claim) {
    return history.attempts(claim.id()).stream()
        .filter(attempt -> attempt.number() == claim.attempt())
        .filter(attempt -> claim.pod().equals(Optional.of(attempt.pod())))
        .map(ObservedAttempt::ended)
        .map(end -> end.orElse(Instant.MAX))
        .max(Comparator.naturalOrder())
        .orElse(claim.at());
  }

  /** Without the times in which the pod was not reachable, drained, or dead. */
  private static List<FreeSpan> whole(TaskHistory history, String pod, List<FreeSpan> spans) {
    List<FreeSpan> absent = new ArrayList<>();
    history.silences().stream()
        .filter(silent -> silent.pod().equals(pod))
        .map(
            silent ->
                new FreeSpan(
                    silent.from(),
                    silent.reachableAgain().map(at -> at.plus(SETTLED)).orElse(Instant.MAX)))
        .forEach(absent::add);
    // What resumes it may be lost with Redis: the next claim proves that it takes tasks again.
    history.evidence().windows().stream()
        .filter(drain -> drain.target().equals(pod))
        .map(
            drain ->
                new FreeSpan(
                    drain.from(),
                    history.transitions().stream()
                        .filter(move -> move.claim() && move.pod().equals(Optional.of(pod)))
                        .map(ObservedTransition::at)
                        .filter(at -> at.isAfter(drain.to()))
                        .min(Comparator.naturalOrder())
                        .orElse(Instant.MAX)))
        .forEach(absent::add);
    List<FreeSpan> inOrder = absent.stream().sorted(Comparator.comparing(FreeSpan::from)).toList();
    return spans.stream().flatMap(span -> span.without(inOrder).stream()).toList();
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
