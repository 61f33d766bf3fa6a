package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Meetings move only along the edges of their lifecycle, each move starts where the last one ended,
 * and the row is where the last one led.
 */
final class MeetingStatusRule implements PresenceRule {
  private static final String NONE = "";

  /** From the bots' lifecycle (seed 001) and from tracked meetings, which begin active. */
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
        .forEach(event -> move(event, states, findings));
    for (MeetingRow meeting : presenceHistory.meetings()) {
      String told = states.getOrDefault(meeting.meetingId(), meeting.status());
      if (!told.equals(meeting.status())) {
        findings.add(
            new RuleViolation(
                ViolationKind.ILLEGAL,
                "meeting %d is %s, the journal left it %s"
                    .formatted(meeting.meetingId(), meeting.status(), told)));
      }
    }
    return findings;
  }

  private static void move(
      ObservedEvent event, Map<Long, String> states, List<RuleViolation> findings) {
    String from = event.from().orElse(NONE);
    String to = event.to().orElse(NONE);
    String before = states.getOrDefault(event.meetingId(), NONE);
    if (!before.equals(from)) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "event %d moves meeting %d from '%s', it was '%s'"
                  .formatted(event.seq(), event.meetingId(), from, before)));
    }
    if (!EDGES.getOrDefault(from, Set.of()).contains(to)) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "event %d moves meeting %d from '%s' to '%s'"
                  .formatted(event.seq(), event.meetingId(), from, to)));
    }
    states.put(event.meetingId(), to);
  }
}
