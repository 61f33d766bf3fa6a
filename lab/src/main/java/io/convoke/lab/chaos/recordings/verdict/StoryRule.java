package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Journal and rows tell one story: each move begins where the last one ended, and there is one. */
final class StoryRule implements RecordingRule {
  private static final Map<String, Set<String>> LEGAL =
      Map.of(
          "in_progress",
          Set.of("ready", "unmatched", "empty", "cancelled", "failed", "given_up"),
          "unmatched",
          Set.of("ready", "given_up"),
          "ready",
          Set.of("processing", "failed"),
          "processing",
          Set.of("done", "failed"),
          "failed",
          Set.of("ready"),
          "given_up",
          Set.of("ready"),
          "done",
          Set.of("ready"));

  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Row row : history.rows()) {
      Optional<String> status = Optional.empty();
      int run = 0;
      for (Move move : history.moves()) {
        if (!move.id().equals(row.id())) {
          continue;
        }
        if (!move.from().equals(status)) {
          findings.add(found(Kind.GAP, move, "the one before ended at " + status));
        } else if (status.isPresent()
            && !LEGAL.getOrDefault(status.get(), Set.of()).contains(move.to())) {
          findings.add(found(Kind.ILLEGAL, move, "there is no such move"));
        }
        int wanted = run + (move.to().equals("ready") ? 1 : 0);
        if (move.run() != wanted) {
          findings.add(found(Kind.COUNT, move, "it must be run " + wanted));
        }
        status = Optional.of(move.to());
        run = move.run();
      }
      if (!status.equals(Optional.of(row.status())) || run != row.run()) {
        findings.add(
            new Finding(
                Kind.GAP,
                "recording %s is %s in run %d, the journal left it at %s in run %d"
                    .formatted(row.id(), row.status(), row.run(), status, run)));
      }
    }
    return findings;
  }

  private static Finding found(Kind kind, Move move, String what) {
    return new Finding(kind, move + ": " + what);
  }
}
