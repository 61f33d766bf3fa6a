package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The stream brings every move of the journal, once and in order, whichever servers it came by. */
final class TaskStreamRule implements TaskRule {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    long last = 0;
    for (long seq : history.streamed()) {
      if (seq <= last) {
        findings.add(
            new RuleViolation(
                ViolationKind.SEQUENCE, "the stream brought " + seq + " after " + last));
      }
      last = seq;
    }
    Set<Long> streamed = new HashSet<>(history.streamed());
    Set<Long> journal = new HashSet<>();
    for (TaskMove taskMove : history.moves()) {
      boolean _ = journal.add(taskMove.seq());
      if (!streamed.contains(taskMove.seq())) {
        findings.add(new RuleViolation(ViolationKind.GAP, "the stream did not bring " + taskMove));
      }
    }
    for (long seq : history.streamed()) {
      if (!journal.contains(seq)) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP, "the stream brought " + seq + ", the journal lacks it"));
      }
    }
    return findings;
  }
}
