package io.convoke.lab.chaos.recordings.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.List;

/** The transcript of each recording is exactly what was said in it, each line once, in order. */
final class WordsRule implements RecordingRule {
  @Override
  public List<Finding> check(RecordingHistory history) {
    List<Finding> findings = new ArrayList<>();
    for (Truth truth : history.truths()) {
      List<String> wanted = truth.end().spoken() ? truth.words() : List.of();
      List<String> heard = history.row(truth.id()).map(Row::words).orElse(List.of());
      if (!heard.equals(wanted)) {
        findings.add(
            new Finding(
                kind(wanted, heard),
                "%s has %d lines, said were %d: %s"
                    .formatted(EndRule.name(truth), heard.size(), wanted.size(), heard)));
      }
    }
    return findings;
  }

  private static Kind kind(List<String> wanted, List<String> heard) {
    if (!heard.containsAll(wanted)) {
      return Kind.LOST;
    }
    return wanted.containsAll(heard) ? Kind.DUPLICATED : Kind.INVENTED;
  }
}
