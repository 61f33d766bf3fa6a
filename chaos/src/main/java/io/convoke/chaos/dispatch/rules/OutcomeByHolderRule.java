package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every outcome comes from the task's holder: the program of that attempt had logged it before. An
 * accepted write of a stale attempt shows here, since the attempt it ended belongs to another pod
 * and had logged no end.
 */
final class OutcomeByHolderRule implements Rule<TaskHistory> {
  /** Log times have a precision of a hundredth of a second. */
  private static final Duration GRAIN = Duration.ofMillis(60);

  /** Maximum duration and delay of a comparison with the task table. */
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
        yield task.end() == RequestedTask.ProgramEnd.FAILS
            ? Optional.of("its program fails")
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
        yield task.end() == RequestedTask.ProgramEnd.FAILS
            ? exitedWith(own, "1", transition.at())
            : Optional.of("its program does not fail");
      }
      case "PENDING" ->
          transition.error().equals("not now") && !repeatedByRebuild(history, transition)
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
