package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
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
final class OutcomeRule implements TaskRule {
  /** Notes are exact to a hundredth of a second. */
  private static final Duration GRAIN = Duration.ofMillis(60);

  /** A comparison with the ledger may take so long, and begin so late. */
  private static final Duration RETOLD = Duration.ofSeconds(10);

  private static final String GAVE_UP = "gave up after ";
  private static final String LATE = "waited longer than ";
  private static final String TRIES_AGAIN = "75";

  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Asked> asked =
        history.asked().stream().collect(Collectors.toMap(Asked::request, Function.identity()));
    Map<String, Row> rows =
        history.rows().stream()
            .collect(Collectors.toMap(Row::id, Function.identity(), (a, b) -> a));
    Map<String, List<Attempt>> attempts =
        history.attempts().stream().collect(Collectors.groupingBy(Attempt::id));
    for (Move move : history.moves()) {
      Row row = rows.get(move.id());
      Asked one = row == null ? null : asked.get(row.request());
      if (one != null) {
        wrong(history, move, one, attempts.getOrDefault(move.id(), List.of()))
            .ifPresent(why -> findings.add(new Finding(Kind.ILLEGAL, move + ": " + why)));
      }
    }
    return findings;
  }

  private static Optional<String> wrong(
      TaskHistory history, Move move, Asked asked, List<Attempt> attempts) {
    List<Attempt> own = attempts.stream().filter(it -> it.number() == move.attempt()).toList();
    return switch (move.state()) {
      case "SUCCESS" -> {
        if (history.unwanted(move.id())) {
          yield move.attempt() > 0 ? Optional.empty() : Optional.of("it never ran");
        }
        yield asked.end() == Asked.End.FAILS
            ? Optional.of("its program fails")
            : said(own, "0", move.at());
      }
      case "FAILED" -> {
        if (move.error().equals("stopped")) {
          yield history.unwanted(move.id())
              ? Optional.empty()
              : Optional.of("nobody wanted it to stop");
        } else if (move.error().startsWith(GAVE_UP)) {
          yield move.attempt() >= history.limits().attempts()
              ? Optional.empty()
              : Optional.of("it had attempts left");
        }
        yield asked.end() == Asked.End.FAILS
            ? said(own, "1", move.at())
            : Optional.of("its program does not fail");
      }
      case "PENDING" ->
          move.error().equals("not now") && !retold(history, move)
              ? said(own, TRIES_AGAIN, move.at())
              : Optional.empty();
      case "TIMEOUT" ->
          move.error().startsWith(LATE) ? Optional.empty() : Optional.of("it is not said why");
      default -> Optional.empty();
    };
  }

  /** A Redis that may have forgotten something is told, and tells, what it knew before. */
  private static boolean retold(TaskHistory history, Move move) {
    return history.forgotten(move.at().minus(RETOLD), move.at().plusSeconds(1));
  }

  /** The attempt's own program said that, and before. */
  private static Optional<String> said(List<Attempt> own, String code, Instant at) {
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
