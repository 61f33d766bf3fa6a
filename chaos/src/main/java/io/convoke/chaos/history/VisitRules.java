package io.convoke.chaos.history;

import io.convoke.chaos.history.PresenceHistory.MeetingRow;
import io.convoke.chaos.history.PresenceHistory.ObservedEvent;
import io.convoke.chaos.history.PresenceHistory.ObservedPresence;
import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import io.convoke.chaos.history.PresenceHistory.SessionRow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What servers store of visits: rows, counts and journal. */
final class VisitRules {

  private VisitRules() {}

  /**
   * Every visit has exactly one row, with the right start and end, and there are no other rows.
   *
   * <p>A start is exact when an event of the visit arrived; otherwise it is as coarse as the
   * platform's presence API. An end is exact when the leave event arrived; otherwise it is when the
   * participant was last seen: too early by at most the freshness bound, too late by at most the
   * platform's lag. A visit without events that was shorter than the bound may be missing, since no
   * poll could see it, unless its tracked meeting is over: the platform's history shows it then.
   *
   * <p>A visit that ended before a meeting or began after its end is another one's. What was known
   * too late before the end may be missing, and no session lasts longer than its meeting.
   */
  static List<RuleViolation> recordedVisit(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (MeetingRow meeting : history.meetings()) {
      Map<String, List<SessionRow>> rows = new HashMap<>();
      history.rows().stream()
          .filter(row -> row.meetingId() == meeting.meetingId())
          .forEach(row -> rows.computeIfAbsent(row.sessionId(), id -> new ArrayList<>()).add(row));
      Set<String> real = new HashSet<>();
      for (ActualVisit visit : history.visits()) {
        if (visit.room().equals(meeting.room())) {
          real.add(visit.sessionId());
          compare(
              history, meeting, visit, rows.getOrDefault(visit.sessionId(), List.of()), findings);
        }
      }
      rows.keySet().stream()
          .filter(id -> !real.contains(id))
          .forEach(
              id ->
                  findings.add(
                      ViolationKind.INVENTED.found(
                          at(meeting) + id + " has a row but never joined")));
    }
    return findings;
  }

  private static void compare(
      PresenceHistory history,
      MeetingRow meeting,
      ActualVisit visit,
      List<SessionRow> rows,
      List<RuleViolation> findings) {
    String who = at(meeting) + visit.sessionId();
    PresenceBounds bounds = history.bounds();
    boolean delivered =
        (meeting.tracked() || meeting.endedAt().isEmpty())
            ? visit.joinDelivered() || visit.leaveDelivered()
            : (handledBefore(history, meeting, visit.joinKnown())
                || handledBefore(history, meeting, visit.leaveKnown()));
    Duration off = delivered ? bounds.exact() : bounds.exact().plus(bounds.coarse());
    if (foreign(meeting, visit, bounds.exact())) {
      // One that only polls showed is as coarse as they are, and so is the end of its meeting.
      if (!rows.isEmpty() && foreign(meeting, visit, off)) {
        findings.add(
            ViolationKind.INVENTED.found(
                "%s is another meeting's: %s, %s", who, visit.story(), meeting));
      }
      return;
    }
    if (rows.isEmpty()) {
      if (!unknown(history, meeting, visit)) {
        findings.add(ViolationKind.LOST.found(who + " has no row: " + visit.story()));
      }
      return;
    }
    if (rows.size() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(who + " has rows: " + rows.size() + " times: " + rows));
      return;
    }
    SessionRow row = rows.getFirst();
    if (apart(row.joinedAt(), visit.joinedAt(), off)) {
      findings.add(
          ViolationKind.INTERVAL.found(
              "%s joined at %s, its row has %s; %s",
              who, visit.joinedAt(), row.joinedAt(), visit.story()));
    }
    if (meeting.endedAt().isPresent()
        && !meeting.tracked()
        && !leftBefore(history, meeting, visit)) {
      Instant end = meeting.endedAt().get().plus(bounds.exact());
      if (row.leftAt().filter(left -> !left.isAfter(end)).isEmpty()) {
        findings.add(
            ViolationKind.OPEN.found(
                "%s lasts longer than its meeting, which ended at %s: %s", who, end, row));
      }
      return;
    }
    visit
        .leftAt()
        .ifPresent(
            left -> {
              row.leftAt()
                  .ifPresentOrElse(
                      written -> {
                        if (wrongEnd(written, left, visit, history.bounds())) {
                          findings.add(
                              ViolationKind.INTERVAL.found(
                                  "%s left at %s, its row has %s; %s",
                                  who, left, written, visit.story()));
                        }
                      },
                      () ->
                          findings.add(
                              ViolationKind.OPEN.found(
                                  "%s left at %s, its row is still open; %s",
                                  who, left, visit.story())));
            });
    if (visit.leftAt().isEmpty() && row.leftAt().isPresent()) {
      findings.add(
          ViolationKind.INTERVAL.found(who + " is still present, its row ended at " + row));
    }
  }

  private static boolean foreign(MeetingRow meeting, ActualVisit visit, Duration exact) {
    return visit.leftAt().filter(left -> left.isBefore(meeting.since().minus(exact))).isPresent()
        || meeting.endedAt().filter(end -> visit.joinedAt().isAfter(end.plus(exact))).isPresent();
  }

  private static boolean unknown(PresenceHistory history, MeetingRow meeting, ActualVisit visit) {
    Duration freshness = history.bounds().freshness();
    boolean late =
        meeting.endedAt().filter(end -> end.isBefore(visit.joinedAt().plus(freshness))).isPresent()
            && !handledBefore(history, meeting, visit.joinKnown());
    boolean recorded =
        meeting.tracked()
            && meeting.status().equals("completed")
            && !visit.unknowable(history.bounds().recorded());
    return !recorded && (late || visit.unknowable(freshness));
  }

  /** Whether a bot's meeting that is over knew that the person had left. */
  private static boolean leftBefore(
      PresenceHistory history, MeetingRow meeting, ActualVisit visit) {
    Instant end = meeting.endedAt().orElse(Instant.MAX);
    return handledBefore(history, meeting, visit.leaveKnown())
        || visit
            .leftAt()
            .filter(left -> left.plus(history.bounds().freshness()).isBefore(end))
            .isPresent();
  }

  /** Whether what was accepted then had to be handled before the meeting ended. */
  private static boolean handledBefore(
      PresenceHistory history, MeetingRow meeting, Optional<Instant> accepted) {
    Instant end = meeting.endedAt().orElse(Instant.MAX);
    return accepted
        .filter(at -> PresenceAnswerRules.deadline(history, at).isBefore(end))
        .isPresent();
  }

  private static String at(MeetingRow meeting) {
    return "meeting " + meeting.meetingId() + " (" + meeting.room() + "): session ";
  }

  private static boolean wrongEnd(
      Instant written, Instant left, ActualVisit visit, PresenceBounds bounds) {
    return visit.leaveDelivered()
        ? apart(written, left, bounds.exact())
        : written.isBefore(left.minus(bounds.freshness()))
            || written.isAfter(left.plus(bounds.lag()).plus(bounds.exact()));
  }

  static boolean apart(Instant one, Instant other, Duration allowed) {
    return Duration.between(one, other).abs().compareTo(allowed) > 0;
  }

  /** Keyed by session id alone: the start may be corrected after the journal entry. */
  private record JournaledSession(long meetingId, String sessionId) {}

  /**
   * The journal matches the session rows: each session starts, then ends, without repeats and for
   * good, and a replay yields the open sessions of the database.
   */
  static List<RuleViolation> sessionJournal(PresenceHistory history) {
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

  /** Counts always equal the number of open sessions and are never negative. */
  static List<RuleViolation> participantCount(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedPresence read : history.observations()) {
      String where = "meeting " + read.meetingId() + " at " + read.answered() + ": ";
      if (read.numClients() != read.present().size()) {
        findings.add(
            ViolationKind.COUNT.found(
                where + "num_clients " + read.numClients() + " beside " + read.present()));
      }
      if (new HashSet<>(read.present()).size() != read.present().size()) {
        findings.add(
            ViolationKind.DUPLICATED.found(where + "a session is listed twice: " + read.present()));
      }
    }
    for (ObservedEvent event : history.journal()) {
      event
          .numClients()
          .filter(count -> count < 0)
          .ifPresent(
              count ->
                  findings.add(
                      ViolationKind.COUNT.found("event " + event.seq() + " counts " + count)));
    }
    for (MeetingRow meeting : history.meetings()) {
      long open =
          history.rows().stream()
              .filter(row -> row.meetingId() == meeting.meetingId() && row.leftAt().isEmpty())
              .count();
      if (meeting.numClients() != open) {
        findings.add(
            ViolationKind.COUNT.found(
                "meeting %d has num_clients %d and %d open sessions at the end",
                meeting.meetingId(), meeting.numClients(), open));
      }
    }
    return findings;
  }
}
