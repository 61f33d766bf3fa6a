package io.convoke.chaos.history;

import io.convoke.chaos.history.RuleViolation.ViolationKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The journal tells the story of the rows: each stay begins, then ends, never twice in a row the
 * same, and whoever replays it has the open sessions of the database.
 */
final class SessionJournalRule implements PresenceRule {
  /** By the session's id alone: its begin may be corrected after the journal told of it. */
  private record JournaledSession(long meetingId, String sessionId) {}

  @Override
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<JournaledSession, Boolean> open = new LinkedHashMap<>();
    presenceHistory.journal().stream()
        .sorted(Comparator.comparingLong(ObservedEvent::seq))
        .forEach(
            event ->
                stay(event)
                    .ifPresent(journaledSession -> tell(event, journaledSession, open, findings)));
    Map<JournaledSession, Boolean> rows = new HashMap<>();
    presenceHistory
        .rows()
        .forEach(
            sessionRow ->
                rows.merge(
                    new JournaledSession(sessionRow.meetingId(), sessionRow.sessionId()),
                    sessionRow.leftAt().isEmpty(),
                    Boolean::logicalOr));
    Set<JournaledSession> all = new HashSet<>(rows.keySet());
    all.addAll(open.keySet());
    for (JournaledSession journaledSession : all) {
      Optional<Boolean> told = Optional.ofNullable(open.get(journaledSession));
      Optional<Boolean> written = Optional.ofNullable(rows.get(journaledSession));
      if (!told.equals(written)) {
        findings.add(
            new RuleViolation(
                ViolationKind.ILLEGAL,
                "the journal says that stay %s is %s, the row says %s"
                    .formatted(journaledSession, word(told), word(written))));
      }
    }
    return findings;
  }

  private static void tell(
      ObservedEvent event,
      JournaledSession journaledSession,
      Map<JournaledSession, Boolean> open,
      List<RuleViolation> findings) {
    boolean joins = event.type().equals(ObservedEvent.JOINED);
    Optional<Boolean> before = Optional.ofNullable(open.put(journaledSession, joins));
    if (before.equals(Optional.of(joins))) {
      findings.add(
          new RuleViolation(
              ViolationKind.DUPLICATED,
              "event %d tells %s of %s a second time"
                  .formatted(event.seq(), event.type(), journaledSession)));
    } else if (before.isEmpty() && !joins) {
      findings.add(
          new RuleViolation(
              ViolationKind.ILLEGAL,
              "event %d tells the end of %s before its beginning"
                  .formatted(event.seq(), journaledSession)));
    }
  }

  private static Optional<JournaledSession> stay(ObservedEvent event) {
    return event.type().equals(ObservedEvent.JOINED) || event.type().equals(ObservedEvent.LEFT)
        ? event.sessionId().map(id -> new JournaledSession(event.meetingId(), id))
        : Optional.empty();
  }

  private static String word(Optional<Boolean> open) {
    return open.map(it -> it ? "open" : "over").orElse("unknown");
  }
}
