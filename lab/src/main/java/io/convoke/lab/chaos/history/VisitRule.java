package io.convoke.lab.chaos.history;

import io.convoke.lab.chaos.history.Finding.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every visit is written down once, with the right beginning and end, and nothing else is.
 *
 * <p>A beginning is exact when an event of the visit arrived; without one it is as coarse as what
 * the platform shows. An end is exact when the event of the leave arrived; without it the end is
 * when the person was last seen: at most the freshness bound too early, and too late by no more
 * than the platform's own lag. A visit that no event told and that was shorter than the bound may
 * be missing: nobody could know of it.
 */
final class VisitRule implements Rule {

  @Override
  public List<Finding> check(History history) {
    List<Finding> findings = new ArrayList<>();
    for (MeetingRow meeting : history.meetings()) {
      Map<String, List<Row>> rows = new HashMap<>();
      history.rows().stream()
          .filter(row -> row.meetingId() == meeting.meetingId())
          .forEach(row -> rows.computeIfAbsent(row.sessionId(), id -> new ArrayList<>()).add(row));
      Set<String> real = new HashSet<>();
      for (Visit visit : history.visits()) {
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
                      new Finding(
                          Kind.INVENTED, at(meeting) + id + " is written down and never came")));
    }
    return findings;
  }

  private static void compare(
      History history, MeetingRow meeting, Visit visit, List<Row> rows, List<Finding> findings) {
    String who = at(meeting) + visit.sessionId();
    if (rows.isEmpty()) {
      if (!visit.unknowable(history.bounds().freshness())) {
        findings.add(new Finding(Kind.LOST, who + " is not written down: " + visit.story()));
      }
      return;
    }
    if (rows.size() > 1) {
      findings.add(
          new Finding(
              Kind.DUPLICATED, who + " is written down " + rows.size() + " times: " + rows));
      return;
    }
    Row row = rows.getFirst();
    Bounds bounds = history.bounds();
    boolean told = visit.joinTold() || visit.leaveTold();
    Duration off = told ? bounds.exact() : bounds.exact().plus(bounds.coarse());
    if (apart(row.joinedAt(), visit.joinedAt(), off)) {
      findings.add(
          new Finding(
              Kind.INTERVAL,
              "%s joined at %s, written down as %s; %s"
                  .formatted(who, visit.joinedAt(), row.joinedAt(), visit.story())));
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
                              new Finding(
                                  Kind.INTERVAL,
                                  "%s left at %s, written down as %s; %s"
                                      .formatted(who, left, written, visit.story())));
                        }
                      },
                      () ->
                          findings.add(
                              new Finding(
                                  Kind.OPEN,
                                  "%s left at %s and is still open; %s"
                                      .formatted(who, left, visit.story()))));
            });
    if (visit.leftAt().isEmpty() && row.leftAt().isPresent()) {
      findings.add(
          new Finding(Kind.INTERVAL, who + " is still there, written down as gone " + row));
    }
  }

  private static String at(MeetingRow meeting) {
    return "meeting " + meeting.meetingId() + " (" + meeting.room() + "): session ";
  }

  private static boolean wrongEnd(Instant written, Instant left, Visit visit, Bounds bounds) {
    return visit.leaveTold()
        ? apart(written, left, bounds.exact())
        : written.isBefore(left.minus(bounds.freshness()))
            || written.isAfter(left.plus(bounds.lag()).plus(bounds.exact()));
  }

  private static boolean apart(Instant one, Instant other, Duration allowed) {
    return Duration.between(one, other).abs().compareTo(allowed) > 0;
  }
}
