package io.convoke.chaos.history;

import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every visit has exactly one row, with the right start and end, and there are no other rows.
 *
 * <p>A start is exact when an event of the visit arrived; otherwise it is as coarse as the
 * platform's presence API. An end is exact when the leave event arrived; otherwise it is when the
 * participant was last seen: too early by at most the freshness bound, too late by at most the
 * platform's lag. A visit without events that was shorter than the bound may be missing, since no
 * poll could see it.
 */
final class RecordedVisitRule implements Rule<PresenceHistory> {

  @Override
  public List<RuleViolation> check(PresenceHistory history) {
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
    if (rows.isEmpty()) {
      if (!visit.unknowable(history.bounds().freshness())) {
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
    PresenceBounds bounds = history.bounds();
    boolean delivered = visit.joinDelivered() || visit.leaveDelivered();
    Duration off = delivered ? bounds.exact() : bounds.exact().plus(bounds.coarse());
    if (apart(row.joinedAt(), visit.joinedAt(), off)) {
      findings.add(
          ViolationKind.INTERVAL.found(
              "%s joined at %s, its row has %s; %s",
              who, visit.joinedAt(), row.joinedAt(), visit.story()));
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

  private static boolean apart(Instant one, Instant other, Duration allowed) {
    return Duration.between(one, other).abs().compareTo(allowed) > 0;
  }
}
