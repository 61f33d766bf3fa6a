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
  public List<RuleViolation> check(PresenceHistory presenceHistory) {
    List<RuleViolation> findings = new ArrayList<>();
    for (MeetingRow meeting : presenceHistory.meetings()) {
      Map<String, List<SessionRow>> rows = new HashMap<>();
      presenceHistory.rows().stream()
          .filter(sessionRow -> sessionRow.meetingId() == meeting.meetingId())
          .forEach(
              sessionRow ->
                  rows.computeIfAbsent(sessionRow.sessionId(), id -> new ArrayList<>())
                      .add(sessionRow));
      Set<String> real = new HashSet<>();
      for (ActualVisit actualVisit : presenceHistory.visits()) {
        if (actualVisit.room().equals(meeting.room())) {
          real.add(actualVisit.sessionId());
          compare(
              presenceHistory,
              meeting,
              actualVisit,
              rows.getOrDefault(actualVisit.sessionId(), List.of()),
              findings);
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
      PresenceHistory presenceHistory,
      MeetingRow meeting,
      ActualVisit actualVisit,
      List<SessionRow> rows,
      List<RuleViolation> findings) {
    String who = at(meeting) + actualVisit.sessionId();
    if (rows.isEmpty()) {
      if (!actualVisit.unknowable(presenceHistory.bounds().freshness())) {
        findings.add(ViolationKind.LOST.found(who + " has no row: " + actualVisit.story()));
      }
      return;
    }
    if (rows.size() > 1) {
      findings.add(
          ViolationKind.DUPLICATED.found(who + " has rows: " + rows.size() + " times: " + rows));
      return;
    }
    SessionRow sessionRow = rows.getFirst();
    PresenceBounds presenceBounds = presenceHistory.bounds();
    boolean delivered = actualVisit.joinDelivered() || actualVisit.leaveDelivered();
    Duration off =
        delivered ? presenceBounds.exact() : presenceBounds.exact().plus(presenceBounds.coarse());
    if (apart(sessionRow.joinedAt(), actualVisit.joinedAt(), off)) {
      findings.add(
          ViolationKind.INTERVAL.found(
              "%s joined at %s, its row has %s; %s",
              who, actualVisit.joinedAt(), sessionRow.joinedAt(), actualVisit.story()));
    }
    actualVisit
        .leftAt()
        .ifPresent(
            left -> {
              sessionRow
                  .leftAt()
                  .ifPresentOrElse(
                      written -> {
                        if (wrongEnd(written, left, actualVisit, presenceHistory.bounds())) {
                          findings.add(
                              ViolationKind.INTERVAL.found(
                                  "%s left at %s, its row has %s; %s",
                                  who, left, written, actualVisit.story()));
                        }
                      },
                      () ->
                          findings.add(
                              ViolationKind.OPEN.found(
                                  "%s left at %s, its row is still open; %s",
                                  who, left, actualVisit.story())));
            });
    if (actualVisit.leftAt().isEmpty() && sessionRow.leftAt().isPresent()) {
      findings.add(
          ViolationKind.INTERVAL.found(who + " is still present, its row ended at " + sessionRow));
    }
  }

  private static String at(MeetingRow meeting) {
    return "meeting " + meeting.meetingId() + " (" + meeting.room() + "): session ";
  }

  private static boolean wrongEnd(
      Instant written, Instant left, ActualVisit actualVisit, PresenceBounds presenceBounds) {
    return actualVisit.leaveDelivered()
        ? apart(written, left, presenceBounds.exact())
        : written.isBefore(left.minus(presenceBounds.freshness()))
            || written.isAfter(left.plus(presenceBounds.lag()).plus(presenceBounds.exact()));
  }

  private static boolean apart(Instant one, Instant other, Duration allowed) {
    return Duration.between(one, other).abs().compareTo(allowed) > 0;
  }
}
