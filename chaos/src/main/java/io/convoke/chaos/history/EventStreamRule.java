package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The stream equals the journal: every event once, in sequence order, across reconnects and server
 * restarts.
 */
final class EventStreamRule implements PresenceRule {

  @Override
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    List<RuleViolation> findings = new ArrayList<>();
    long last = 0;
    Set<Long> streamed = new HashSet<>();
    for (ObservedEvent event : presenceHistory.stream()) {
      if (event.seq() <= last) {
        findings.add(
            new RuleViolation(
                ViolationKind.SEQUENCE, "the stream delivered " + event.seq() + " after " + last));
      }
      last = event.seq();
      streamed.add(event.seq());
    }
    Set<Long> written = new TreeSet<>();
    presenceHistory.journal().forEach(event -> written.add(event.seq()));
    for (ObservedEvent event : presenceHistory.journal()) {
      if (!streamed.contains(event.seq())) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP, "the stream skipped event " + event.seq() + " " + event.type()));
      }
    }
    for (long seq : streamed) {
      if (!written.contains(seq)) {
        findings.add(
            new RuleViolation(
                ViolationKind.GAP,
                "the stream delivered " + seq + ", the journal has no such event"));
      }
    }
    return findings;
  }
}
