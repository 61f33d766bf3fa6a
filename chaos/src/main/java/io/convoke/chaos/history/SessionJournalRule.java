package io.convoke.chaos.history;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
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
 * The journal matches the session rows: each session starts, then ends, without repeats and for
 * good, and a replay yields the open sessions of the database.
 */
final class SessionJournalRule implements Rule<PresenceHistory> {
  /** Keyed by session id alone: the start may be corrected after the journal entry. */
  private record JournaledSession(long meetingId, String sessionId) {}

  @Override
  public List<RuleViolation> check(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    Map<JournaledSession, Boolean> open = new LinkedHashMap<>();
    history.journal().stream()
        .sorted(Comparator.comparingLong(ObservedEvent::seq))
        .forEach(
            event -> session(event).ifPresent(session -> apply(event, session, open, findings)));
    Map<JournaledSession, Boolean> rows = new HashMap<>();
    history
        .rows()
        .forEach(
            row ->
                rows.merge(
                    new JournaledSession(row.meetingId(), row.sessionId()),
                    row.leftAt().isEmpty(),
                    Boolean::logicalOr));
    Set<JournaledSession> all = new HashSet<>(rows.keySet());
    all.addAll(open.keySet());
    for (JournaledSession session : all) {
      Optional<Boolean> journaled = Optional.ofNullable(open.get(session));
      Optional<Boolean> written = Optional.ofNullable(rows.get(session));
      if (!journaled.equals(written)) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "session %s is %s in the journal and %s in the row",
                session, text(journaled), text(written)));
      }
    }
    return findings;
  }

  private static void apply(
      ObservedEvent event,
      JournaledSession session,
      Map<JournaledSession, Boolean> open,
      List<RuleViolation> findings) {
    boolean joins = event.type().equals(ObservedEvent.JOINED);
    Optional<Boolean> before = Optional.ofNullable(open.put(session, joins));
    if (before.equals(Optional.of(joins))) {
      findings.add(
          ViolationKind.DUPLICATED.found(
              "event %d repeats %s of %s", event.seq(), event.type(), session));
    } else if (before.equals(Optional.of(false)) && joins) {
      findings.add(
          ViolationKind.ILLEGAL.found(
              "event %d begins %s again: it had ended too early", event.seq(), session));
    } else if (before.isEmpty() && !joins) {
      findings.add(
          ViolationKind.ILLEGAL.found("event %d ends %s before its start", event.seq(), session));
    }
  }

  private static Optional<JournaledSession> session(ObservedEvent event) {
    return event.type().equals(ObservedEvent.JOINED) || event.type().equals(ObservedEvent.LEFT)
        ? event.sessionId().map(id -> new JournaledSession(event.meetingId(), id))
        : Optional.empty();
  }

  private static String text(Optional<Boolean> open) {
    return open.map(it -> it ? "open" : "over").orElse("unknown");
  }
}
