package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Whoever ended or gave back a task was the one who held it: the program of that very attempt had
 * said so before. A write of a stale attempt that was accepted shows here, because the attempt that
 * it ended was another's and had said nothing yet.
 */
final class OutcomeByHolderRule implements TaskRule {
  /** Notes are exact to a hundredth of a second. */
  private static final Duration GRAIN = Duration.ofMillis(60);

  /** A comparison with the ledger may take so long, and begin so late. */
  private static final Duration RETOLD = Duration.ofSeconds(10);

  private static final String GAVE_UP = "gave up after ";
  private static final String LATE = "waited longer than ";
  private static final String TRIES_AGAIN = "75";

  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<String, RequestedTask> asked =
        history.requestedTasks().stream()
            .collect(Collectors.toMap(RequestedTask::request, Function.identity()));
    Map<String, TaskRow> rows =
        history.rows().stream()
            .collect(Collectors.toMap(TaskRow::id, Function.identity(), (a, b) -> a));
    Map<String, List<ObservedAttempt>> attempts =
        history.attempts().stream().collect(Collectors.groupingBy(ObservedAttempt::id));
    for (TaskMove taskMove : history.moves()) {
      TaskRow taskRow = rows.get(taskMove.id());
      RequestedTask one = taskRow == null ? null : asked.get(taskRow.request());
      if (one != null) {
        wrong(history, taskMove, one, attempts.getOrDefault(taskMove.id(), List.of()))
            .ifPresent(
                why ->
                    findings.add(new RuleViolation(ViolationKind.ILLEGAL, taskMove + ": " + why)));
      }
    }
    return findings;
  }

  private static Optional<String> wrong(
      TaskHistory history,
      TaskMove taskMove,
      RequestedTask requestedTask,
      List<ObservedAttempt> attempts) {
    List<ObservedAttempt> own =
        attempts.stream().filter(it -> it.number() == taskMove.attempt()).toList();
    return switch (taskMove.state()) {
      case "SUCCESS" -> {
        if (history.unwanted(taskMove.id())) {
          yield taskMove.attempt() > 0 ? Optional.empty() : Optional.of("it never ran");
        }
        yield requestedTask.end() == RequestedTask.ProgramEnd.FAILS
            ? Optional.of("its program fails")
            : said(own, "0", taskMove.at());
      }
      case "FAILED" -> {
        if (taskMove.error().equals("stopped")) {
          yield history.unwanted(taskMove.id())
              ? Optional.empty()
              : Optional.of("nobody wanted it to stop");
        } else if (taskMove.error().startsWith(GAVE_UP)) {
          yield taskMove.attempt() >= history.limits().attempts()
              ? Optional.empty()
              : Optional.of("it had attempts left");
        }
        yield requestedTask.end() == RequestedTask.ProgramEnd.FAILS
            ? said(own, "1", taskMove.at())
            : Optional.of("its program does not fail");
      }
      case "PENDING" ->
          taskMove.error().equals("not now") && !retold(history, taskMove)
              ? said(own, TRIES_AGAIN, taskMove.at())
              : Optional.empty();
      case "TIMEOUT" ->
          taskMove.error().startsWith(LATE) ? Optional.empty() : Optional.of("it is not said why");
      default -> Optional.empty();
    };
  }

  /** A Redis that may have forgotten something is told, and tells, what it knew before. */
  private static boolean retold(TaskHistory history, TaskMove taskMove) {
    return history.forgotten(taskMove.at().minus(RETOLD), taskMove.at().plusSeconds(1));
  }

  /** The attempt's own program said that, and before. */
  private static Optional<String> said(List<ObservedAttempt> own, String code, Instant at) {
    if (own.isEmpty()) {
      return Optional.of("that attempt never began");
    }
    boolean right =
        own.stream()
            .anyMatch(
                it -> it.endedWith(code) && it.ended().orElseThrow().minus(GRAIN).isBefore(at));
    return right
        ? Optional.empty()
        : Optional.of("its holder had not said so (exit code " + code + "): " + own);
  }
}
