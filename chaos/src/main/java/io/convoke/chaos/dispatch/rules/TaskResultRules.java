package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.dispatch.rules.TaskHistory.FinalTaskView;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedAttempt;
import io.convoke.chaos.dispatch.rules.TaskHistory.ObservedTransition;
import io.convoke.chaos.dispatch.rules.TaskHistory.RequestedTask;
import io.convoke.chaos.dispatch.rules.TaskHistory.StopCall;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskReply;
import io.convoke.chaos.dispatch.rules.TaskHistory.TaskRow;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.FaultWindow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What becomes of tasks: one for each accepted request, with a legal story and an outcome that its
 * holder reported.
 */
final class TaskResultRules {
  private static final String STOPPING = "STOPPING";
  private static final Map<String, Set<String>> LEGAL =
      Map.of(
          "",
          Set.of("PENDING"),
          "PENDING",
          Set.of("PROCESSING", "TIMEOUT", "FAILED"),
          "PROCESSING",
          Set.of(STOPPING, "SUCCESS", "FAILED", "PENDING"),
          STOPPING,
          Set.of("SUCCESS"));

  /** Log times have a precision of a hundredth of a second. */
  private static final Duration GRAIN = Duration.ofMillis(60);

  /** Maximum duration and delay of a comparison with the task table. */
  private static final Duration RETOLD = Duration.ofSeconds(10);

  private static final String GAVE_UP = "gave up after ";
  private static final String LATE = "waited longer than ";
  private static final String TRIES_AGAIN = "75";

  /** The last line of standard error of a program that fails. */
  private static final String FAILS = "it cannot be done with ***";

  /** The same of one that is to be tried again. */
  static final String NOT_NOW = "not now";

  private TaskResultRules() {}

  /**
   * Each accepted request has exactly one task, and it has ended. Other requests have one task or
   * none, which has ended too. Redis holds no data of them.
   */
  static List<RuleViolation> acceptedTask(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (TaskReply reply : history.answers()) {
      if (reply.accepted() && history.row(reply.id()).isEmpty()) {
        findings.add(ViolationKind.LOST.found(reply + ": the database has no such task"));
      }
    }
    Map<String, List<TaskRow>> byRequest =
        history.rows().stream().collect(Collectors.groupingBy(TaskRow::request));
    byRequest.forEach(
        (request, rows) -> {
          if (rows.size() > 1) {
            findings.add(
                ViolationKind.DUPLICATED.found(
                    "request " + request + " has several tasks: " + rows));
          }
        });
    history.answers().stream()
        .filter(TaskReply::accepted)
        .collect(Collectors.groupingBy(TaskReply::request))
        .forEach((request, answers) -> oneTask(request, answers, findings));
    Set<String> requests =
        history.requestedTasks().stream().map(RequestedTask::request).collect(Collectors.toSet());
    for (TaskRow row : history.rows()) {
      if (!requests.contains(row.request())) {
        findings.add(ViolationKind.INVENTED.found(row + ": no request for it"));
      }
      if (!row.terminal()) {
        findings.add(ViolationKind.OPEN.found(row + " has not ended"));
      }
    }
    history.left().forEach(left -> findings.add(ViolationKind.OPEN.found(left)));
    return findings;
  }

  private static void oneTask(
      String request, List<TaskReply> answers, List<RuleViolation> findings) {
    if (answers.stream().map(TaskReply::id).distinct().count() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "request " + request + " was answered two tasks: " + answers));
    }
    if (answers.stream().filter(reply -> reply.status() == 202).count() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "request " + request + " was reported as new twice: " + answers));
    }
  }

  /**
   * Task requests are answered 202, 200, 409 if the channel may be taken, 503, or not at all. With
   * a task table a Redis outage is no reason for 503, but the start or shutdown of a server is; and
   * none is accepted while there is no task table.
   */
  static List<RuleViolation> taskReply(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, RequestedTask> asked =
        history.requestedTasks().stream()
            .collect(Collectors.toMap(RequestedTask::request, Function.identity()));
    for (TaskReply reply : history.answers()) {
      RequestedTask one = asked.get(reply.request());
      boolean right =
          switch (reply.status()) {
            case 0, 200, 202, 503 -> true;
            case 409 -> one != null && one.unique();
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found(reply.toString()));
      } else if (reply.status() == 202 && withoutPostgres(history, reply)) {
        findings.add(ViolationKind.ILLEGAL.found(reply + ": no database could store it"));
      }
    }
    for (StopCall stop : history.stops()) {
      boolean right =
          switch (stop.status()) {
            case 0, 202, 503 -> true;
            default -> false;
          };
      if (!right) {
        findings.add(ViolationKind.REFUSED.found(stop.toString()));
      }
    }
    return findings;
  }

  /** Whether a request was sent and answered while Postgres was away, with time to spare. */
  private static boolean withoutPostgres(TaskHistory history, TaskReply reply) {
    List<FaultWindow> windows = history.evidence().windows();
    return windows.stream()
        .filter(window -> window.target().equals(FaultTimeline.POSTGRES + FaultTimeline.GONE))
        .filter(gone -> reply.sent().isAfter(gone.from().plus(GRAIN)))
        .filter(gone -> reply.answered().isBefore(gone.to()))
        .anyMatch(
            gone ->
                windows.stream()
                    .filter(window -> window.what().equals(FaultTimeline.POSTGRES_AWAY))
                    .anyMatch(away -> away.touches(gone.from(), gone.to())));
  }

  /** Of the tasks requested as unique in their channel, at most one is open at a time. */
  static List<RuleViolation> uniqueChannel(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    // By what was asked for: the row says what the server made of it.
    Set<String> asked =
        history.requestedTasks().stream()
            .filter(RequestedTask::unique)
            .map(RequestedTask::request)
            .collect(Collectors.toSet());
    Map<String, List<TaskRow>> byChannel =
        history.rows().stream()
            .filter(row -> row.unique() || asked.contains(row.request()))
            .collect(Collectors.groupingBy(TaskRow::channel));
    for (List<TaskRow> rows : byChannel.values()) {
      List<TaskRow> sorted =
          rows.stream().sorted(Comparator.comparing(TaskRow::createdAt)).toList();
      for (int i = 1; i < sorted.size(); i++) {
        TaskRow before = sorted.get(i - 1);
        TaskRow next = sorted.get(i);
        if (before.completedAt().map(at -> at.isAfter(next.createdAt())).orElse(true)) {
          findings.add(
              ViolationKind.DUPLICATED.found(
                  "a unique channel has two tasks: " + before + " " + next));
        }
      }
    }
    return findings;
  }

  /**
   * Tasks make only valid transitions, each from the status before it; the task table and the
   * servers' views have the last one. Where Redis lost data, transitions may be missing, but
   * terminal states are final and attempts do not decrease.
   */
  static List<RuleViolation> taskTransition(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, List<ObservedTransition>> transitionsByTask = history.transitionsByTask();
    for (TaskRow taskRow : history.rows()) {
      List<ObservedTransition> transitions =
          transitionsByTask.getOrDefault(taskRow.id(), List.of());
      transitions(history, taskRow, transitions, findings);
      stopped(history, taskRow, transitions).ifPresent(findings::add);
      end(taskRow, transitions, findings);
    }
    for (FinalTaskView view : history.shown()) {
      same(history, view)
          .ifPresent(why -> findings.add(ViolationKind.GAP.found(view + ": " + why)));
    }
    return findings;
  }

  private static void transitions(
      TaskHistory history,
      TaskRow taskRow,
      List<ObservedTransition> transitions,
      List<RuleViolation> findings) {
    List<ObservedTransition> failed =
        transitions.stream()
            .filter(it -> it.state().equals("PENDING") && it.error().equals(NOT_NOW))
            .toList();
    int most = history.limits().attempts();
    boolean tooMany =
        IntStream.rangeClosed(0, failed.size() - most)
            .mapToObj(i -> failed.subList(i, i + most))
            .anyMatch(run -> !history.forgotten(run.getFirst().at(), run.getLast().at()));
    if (tooMany) {
      List<Integer> attempts = failed.stream().map(ObservedTransition::attempt).toList();
      findings.add(ViolationKind.COUNT.found(taskRow + ": it had no attempt left: " + attempts));
    }
    long again =
        history.attempts(taskRow.id()).stream().filter(it -> it.endedWith(TRIES_AGAIN)).count();
    // A failure that was not stored yet when Redis forgot it does not count.
    if (again
        > most
            + history.timesForgotten(
                taskRow.createdAt(), taskRow.completedAt().orElse(Instant.MAX))) {
      findings.add(
          ViolationKind.COUNT.found(
              "%s: its program asked for another try %d times", taskRow, again));
    }
    String from = "";
    ObservedTransition last = null;
    for (ObservedTransition transition : transitions) {
      String to =
          transition.type().equals(ObservedTransition.STOPPING) ? STOPPING : transition.state();
      boolean gap =
          history.forgotten(
              last == null ? taskRow.createdAt() : last.at(), transition.at().plusSeconds(1));
      if (TaskRow.terminal(from)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": it had ended as " + from));
      } else if (!gap
          && !lostClaim(from, transition)
          && !LEGAL.getOrDefault(from, Set.of()).contains(to)) {
        findings.add(ViolationKind.ILLEGAL.found(transition + ": no such transition from " + from));
      }
      int before = last == null ? 0 : last.attempt();
      boolean claim = from.equals("PENDING") && to.equals("PROCESSING");
      if (gap ? transition.attempt() < before : transition.attempt() != before + (claim ? 1 : 0)) {
        findings.add(ViolationKind.COUNT.found(transition + ": the attempt before was " + before));
      }
      from = to;
      last = transition;
    }
  }

  /** Before a program is stopped because a user asked for it, the journal says so. */
  private static Optional<RuleViolation> stopped(
      TaskHistory history, TaskRow row, List<ObservedTransition> transitions) {
    boolean silent =
        row.state().equals("SUCCESS")
            && history.attempts(row.id()).stream()
                .anyMatch(
                    attempt ->
                        attempt.number() == row.attempt()
                            && attempt.endedWith(ObservedAttempt.STOPPED))
            && transitions.stream().noneMatch(it -> it.type().equals(ObservedTransition.STOPPING))
            && !history.forgotten(row.createdAt(), row.completedAt().orElse(Instant.MAX));
    return silent
        ? Optional.of(ViolationKind.GAP.found(row + ": no event says that it was to stop"))
        : Optional.empty();
  }

  /** Stopped before it was enqueued in Redis: the accepting server died first. */
  private static boolean lostClaim(String from, ObservedTransition transition) {
    return from.isEmpty()
        && transition.state().equals("FAILED")
        && transition.error().equals("stopped");
  }

  private static void end(
      TaskRow taskRow, List<ObservedTransition> transitions, List<RuleViolation> findings) {
    if (transitions.isEmpty()) {
      findings.add(ViolationKind.GAP.found(taskRow + ": the journal has no transition of it"));
      return;
    }
    ObservedTransition last = transitions.getLast();
    boolean same =
        last.state().equals(taskRow.state())
            && last.attempt() == taskRow.attempt()
            && last.error().equals(taskRow.error())
            && taskRow
                .completedAt()
                .equals(last.terminal() ? Optional.of(last.at()) : Optional.empty());
    if (!same) {
      findings.add(
          ViolationKind.GAP.found(taskRow + " differs from its last journal entry: " + last));
    }
  }

  private static Optional<String> same(TaskHistory history, FinalTaskView view) {
    Optional<TaskRow> row =
        history
            .row(view.id())
            .filter(
                it ->
                    it.state().equals(view.state())
                        && it.attempt() == view.attempt()
                        && it.error().equals(view.error()));
    if (row.isEmpty()) {
      return Optional.of("the database has " + history.row(view.id()));
    }
    List<Long> journal =
        history.transitions().stream()
            .filter(transition -> transition.id().equals(view.id()))
            .map(ObservedTransition::seq)
            .toList();
    return journal.equals(view.timeline())
        ? Optional.empty()
        : Optional.of("the journal has " + journal);
  }

  /**
   * Every outcome comes from the task's holder: the program of that attempt had logged it before.
   * An accepted write of a stale attempt shows here, since the attempt it ended belongs to another
   * pod and had logged no end.
   */
  static List<RuleViolation> outcomeByHolder(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, RequestedTask> asked =
        history.requestedTasks().stream()
            .collect(Collectors.toMap(RequestedTask::request, Function.identity()));
    Map<String, TaskRow> rows =
        history.rows().stream()
            .collect(Collectors.toMap(TaskRow::id, Function.identity(), (a, b) -> a));
    Map<String, List<ObservedAttempt>> attempts =
        history.attempts().stream().collect(Collectors.groupingBy(ObservedAttempt::id));
    for (ObservedTransition transition : history.transitions()) {
      TaskRow row = rows.get(transition.id());
      RequestedTask one = row == null ? null : asked.get(row.request());
      if (one != null) {
        wrong(history, transition, one, attempts.getOrDefault(transition.id(), List.of()))
            .ifPresent(why -> findings.add(ViolationKind.ILLEGAL.found(transition + ": " + why)));
      }
    }
    return findings;
  }

  private static Optional<String> wrong(
      TaskHistory history,
      ObservedTransition transition,
      RequestedTask task,
      List<ObservedAttempt> attempts) {
    List<ObservedAttempt> own =
        attempts.stream().filter(it -> it.number() == transition.attempt()).toList();
    return switch (transition.state()) {
      case "SUCCESS" -> {
        if (history.unwanted(transition.id())) {
          yield transition.attempt() > 0 ? Optional.empty() : Optional.of("it never ran");
        }
        yield task.end() != RequestedTask.ProgramEnd.SUCCEEDS
            ? Optional.of("its program fails or never begins")
            : exitedWith(own, "0", transition.at());
      }
      case "FAILED" -> {
        if (transition.error().equals("stopped")) {
          yield history.unwanted(transition.id())
              ? Optional.empty()
              : Optional.of("no stop was requested");
        } else if (transition.error().startsWith(GAVE_UP)) {
          yield transition.attempt() >= history.limits().attempts()
              ? Optional.empty()
              : Optional.of("it had attempts left");
        }
        if (task.end() != RequestedTask.ProgramEnd.FAILS) {
          yield Optional.of("its program does not fail");
        }
        yield transition.error().equals(FAILS)
            ? exitedWith(own, "1", transition.at())
            : Optional.of("its program wrote: " + FAILS);
      }
      case "PENDING" ->
          transition.error().equals(NOT_NOW) && !repeatedByRebuild(history, transition)
              ? exitedWith(own, TRIES_AGAIN, transition.at())
              : Optional.empty();
      case "TIMEOUT" ->
          transition.error().startsWith(LATE)
              ? Optional.empty()
              : Optional.of("no reason is recorded");
      default -> Optional.empty();
    };
  }

  /** After Redis lost data, transitions it had already recorded may be repeated. */
  private static boolean repeatedByRebuild(TaskHistory history, ObservedTransition transition) {
    return history.forgotten(transition.at().minus(RETOLD), transition.at().plusSeconds(1));
  }

  /** Whether the attempt's own program logged this outcome, and earlier. */
  private static Optional<String> exitedWith(List<ObservedAttempt> own, String code, Instant at) {
    if (own.isEmpty()) {
      return Optional.of("that attempt never began");
    }
    boolean right =
        own.stream()
            .anyMatch(
                it -> it.endedWith(code) && it.ended().orElseThrow().minus(GRAIN).isBefore(at));
    return right
        ? Optional.empty()
        : Optional.of("its holder did not report it (exit code " + code + "): " + own);
  }
}
