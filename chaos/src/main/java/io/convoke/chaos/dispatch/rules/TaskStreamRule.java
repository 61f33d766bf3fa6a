package io.convoke.chaos.dispatch.rules;

import io.convoke.chaos.history.RuleViolation;
import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The stream has every journal event once and in order, across servers and reconnects. */
final class TaskStreamRule implements TaskRule {
  @Override
  public List<RuleViolation> check(TaskHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    long last = 0;
    for (long seq : history.streamed()) {
      if (seq <= last) {
        findings.add(
            new RuleViolation(
                ViolationKind.SEQUENCE, "the stream delivered " + seq + " after " + last));
      }
      last = seq;
    }
    Set<Long> streamed = new HashSet<>(history.streamed());
    Set<Long> journal = new HashSet<>();
    for (ObservedTransition transition : history.transitions()) {
      boolean _ = journal.add(transition.seq());
      if (!streamed.contains(transition.seq())) {
        findings.add(
            new RuleViolation(ViolationKind.GAP, "the stream did not deliver " + transition));
      }
    }
    for (long seq : history.streamed()) {
      if (!journal.contains(seq)) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP,
                "the stream delivered " + seq + ", the journal does not have it"));
      }
    }
    return findings;
  }
}
