package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Meetings make only valid transitions, each starts from the status before it, and the row has the
 * last one.
 */
final class MeetingStatusRule implements PresenceRule {
  private static final String NONE = "";

  /** Transitions of bots (docs/spec/bots.md) and of tracked meetings, which begin active. */
  private static final Map<String, Set<String>> EDGES =
      Map.of(
          NONE,
          Set.of("reserved", "active"),
          "reserved",
          Set.of("starting", "failed"),
          "starting",
          Set.of("active", "stopping", "failed"),
          "active",
          Set.of("stopping", "completed", "failed"),
          "stopping",
          Set.of("completed", "failed"),
          "completed",
          Set.of(),
          "failed",
          Set.of());

  @Override
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<Long, String> states = new HashMap<>();
    presenceHistory.journal().stream()
        .filter(event -> event.type().equals(ObservedEvent.STATUS))
        .sorted(Comparator.comparingLong(ObservedEvent::seq))
        .forEach(event -> check(event, states, findings));
    for (MeetingRow meeting : presenceHistory.meetings()) {
      String journaled = states.getOrDefault(meeting.meetingId(), meeting.status());
      if (!journaled.equals(meeting.status())) {
        findings.add(
            new RuleViolation(
                ViolationKind.ILLEGAL,
                "meeting %d is %s, its last journal entry is %s"
                    .formatted(meeting.meetingId(), meeting.status(), journaled)));
      }
    }
    return findings;
  }

  private static void check(
      ObservedEvent event, Map<Long, String> states, List<RuleViolation> findings) {
    String from = event.from().orElse(NONE);
    String to = event.to().orElse(NONE);
    String before = states.getOrDefault(event.meetingId(), NONE);
    if (!before.equals(from)) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "event %d takes meeting %d from '%s', it was '%s'"
                  .formatted(event.seq(), event.meetingId(), from, before)));
    }
    if (!EDGES.getOrDefault(from, Set.of()).contains(to)) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "event %d takes meeting %d from '%s' to '%s'"
                  .formatted(event.seq(), event.meetingId(), from, to)));
    }
    states.put(event.meetingId(), to);
  }
}
