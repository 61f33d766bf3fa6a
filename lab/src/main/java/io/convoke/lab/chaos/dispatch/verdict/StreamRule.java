package io.convoke.lab.chaos.dispatch.verdict;

import io.convoke.lab.chaos.history.Finding;
import io.convoke.lab.chaos.history.Finding.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The stream brings every move of the journal, once and in order, whichever servers it came by. */
final class StreamRule implements TaskRule {
  @Override
  public List<Finding> check(TaskHistory history) {
    List<Finding> findings = new ArrayList<>();
    long last = 0;
    for (long seq : history.streamed()) {
      if (seq <= last) {
        findings.add(new Finding(Kind.SEQUENCE, "the stream brought " + seq + " after " + last));
      }
      last = seq;
    }
    Set<Long> streamed = new HashSet<>(history.streamed());
    Set<Long> journal = new HashSet<>();
    for (Move move : history.moves()) {
      boolean _ = journal.add(move.seq());
      if (!streamed.contains(move.seq())) {
        findings.add(new Finding(Kind.GAP, "the stream did not bring " + move));
      }
    }
    for (long seq : history.streamed()) {
      if (!journal.contains(seq)) {
        findings.add(new Finding(Kind.GAP, "the stream brought " + seq + ", the journal lacks it"));
      }
    }
    return findings;
  }
}
