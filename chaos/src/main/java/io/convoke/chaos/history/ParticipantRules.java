package io.convoke.chaos.history;

import io.convoke.chaos.history.PresenceHistory.EventDetails;
import io.convoke.chaos.history.PresenceHistory.MeetingRow;
import io.convoke.chaos.history.PresenceHistory.ObservedEvent;
import io.convoke.chaos.history.PresenceHistory.PresenceBounds;
import io.convoke.chaos.history.PresenceHistory.RoomMeetings;
import io.convoke.chaos.history.PresenceHistory.SessionRow;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Who is in which meeting: the fields of sessions and events, and the meetings of a room. */
final class ParticipantRules {
  private static final Set<String> SOURCES =
      Set.of("webhook", "poll", "timer", "bulk", "meeting_end");

  private ParticipantRules() {}

  /** A session is its person's, with the name that an accepted join event told. */
  static List<RuleViolation> sessionPerson(PresenceHistory history) {
    Map<String, ActualVisit> visits = visits(history);
    // An event that was accepted after the end of a bot's meeting names no session of it.
    Set<Long> over =
        history.meetings().stream()
            .filter(row -> !row.tracked() && row.endedAt().isPresent())
            .map(MeetingRow::meetingId)
            .collect(Collectors.toSet());
    List<RuleViolation> findings = new ArrayList<>();
    for (SessionRow row : history.rows()) {
      Optional.ofNullable(visits.get(row.sessionId()))
          .filter(visit -> !is(visit, row.userId(), row.userName()))
          .filter(visit -> !(over.contains(row.meetingId()) && unnamed(visit, row)))
          .ifPresent(
              visit ->
                  findings.add(
                      ViolationKind.ILLEGAL.found(
                          "%s is of %s %s, but %s %s joined",
                          row, row.userId(), row.userName(), visit.userId(), visit.userName())));
    }
    return findings;
  }

  /**
   * Each participant event tells its meeting and that one's user, its person, the time of the
   * change, and how many are in the room after the transaction that wrote it.
   */
  static List<RuleViolation> participantEvent(PresenceHistory history) {
    Map<Long, Long> users =
        history.meetings().stream()
            .collect(Collectors.toMap(MeetingRow::meetingId, MeetingRow::userId));
    Map<String, ActualVisit> visits = visits(history);
    Map<String, Integer> counts = counts(history);
    List<RuleViolation> findings = new ArrayList<>();
    for (ObservedEvent event : history.journal()) {
      event
          .details()
          .flatMap(
              details ->
                  wrong(
                      history.bounds(),
                      event,
                      details,
                      users.getOrDefault(event.meetingId(), 0L),
                      Optional.ofNullable(visits.get(event.sessionId().orElse("")))))
          .ifPresent(
              what ->
                  findings.add(
                      ViolationKind.ILLEGAL.found("event %d %s: %s", event.seq(), what, event)));
      event
          .details()
          .map(details -> counts.get(together(event, details)))
          .filter(count -> !event.numClients().equals(Optional.of(count)))
          .ifPresent(
              count ->
                  findings.add(
                      ViolationKind.COUNT.found(
                          "event %d counts %s, %d were in the room after it",
                          event.seq(), event.numClients(), count)));
    }
    return findings;
  }

  private static Optional<String> wrong(
      PresenceBounds bounds,
      ObservedEvent event,
      EventDetails details,
      long user,
      Optional<ActualVisit> visit) {
    boolean joins = event.type().equals(ObservedEvent.JOINED);
    if (details.meetingId() != event.meetingId() || details.userId() != user) {
      return Optional.of("tells another meeting or user");
    }
    if (!SOURCES.contains(details.source())) {
      return Optional.of("has the source " + details.source());
    }
    Instant moment = joins ? details.joinedAt() : details.leftAt().orElse(Instant.MIN);
    if (!details.at().equals(moment)) {
      return Optional.of("tells another time than that of the change");
    }
    Duration coarse = bounds.exact().plus(bounds.coarse());
    if (visit
        .filter(it -> !VisitRules.apart(details.joinedAt(), it.joinedAt(), coarse))
        .isEmpty()) {
      return Optional.of("has another begin than the visit");
    }
    // A poll may have found a person whose join event came later.
    boolean unnamed = !details.source().equals("webhook") && details.userName().isEmpty();
    return is(visit.get(), details.participantId(), details.userName())
            || (unnamed && details.participantId().equals(visit.get().userId()))
        ? Optional.empty()
        : Optional.of("tells another person than " + visit.get().userId());
  }

  /** Open sessions after each transaction. */
  private static Map<String, Integer> counts(PresenceHistory history) {
    Map<Long, Set<String>> open = new HashMap<>();
    Map<String, Integer> counts = new HashMap<>();
    history.journal().stream()
        .sorted(Comparator.comparingLong(ObservedEvent::seq))
        .filter(event -> event.details().isPresent())
        .forEach(
            event -> {
              Set<String> here = open.computeIfAbsent(event.meetingId(), _ -> new HashSet<>());
              String session = event.sessionId().orElse("");
              boolean _ =
                  event.type().equals(ObservedEvent.JOINED)
                      ? here.add(session)
                      : here.remove(session);
              counts.put(together(event, event.details().orElseThrow()), here.size());
            });
    return counts;
  }

  private static String together(ObservedEvent event, EventDetails details) {
    return event.meetingId() + " " + details.transaction();
  }

  private static boolean unnamed(ActualVisit visit, SessionRow row) {
    return row.userName().isEmpty() && row.userId().equals(visit.userId());
  }

  /** Whether these are the person's id and name, which the platform may keep to itself. */
  private static boolean is(ActualVisit visit, Optional<String> id, Optional<String> name) {
    boolean named = name.equals(visit.userName()) || (name.isEmpty() && visit.toldName().isEmpty());
    return id.equals(visit.userId()) && named;
  }

  private static Map<String, ActualVisit> visits(PresenceHistory history) {
    return history.visits().stream()
        .collect(Collectors.toMap(ActualVisit::sessionId, visit -> visit));
  }

  /**
   * A room has the tracked meetings that its use makes necessary, and no others; one that is over
   * ended when its last participant left.
   */
  static List<RuleViolation> roomMeetings(PresenceHistory history) {
    List<RuleViolation> findings = new ArrayList<>();
    for (MeetingRow row : history.meetings()) {
      if (row.tracked()
          && row.endedAt().filter(end -> !endsWithLast(history, row, end)).isPresent()) {
        findings.add(ViolationKind.INTERVAL.found("%s ended, not with its last participant", row));
      }
    }
    for (RoomMeetings room : history.end().rooms()) {
      List<String> statuses =
          history.meetings().stream()
              .filter(row -> row.tracked() && row.room().equals(room.room()))
              .map(MeetingRow::status)
              .toList();
      if (!fits(statuses, room.statuses())) {
        findings.add(
            ViolationKind.ILLEGAL.found(
                "room %s has meetings %s, expected are %s",
                room.room(), statuses, room.statuses()));
      }
    }
    return findings;
  }

  /** A meeting that was active when its participants left may have ended since. */
  private static boolean fits(List<String> statuses, List<String> expected) {
    return statuses.size() == expected.size()
        && IntStream.range(0, statuses.size())
            .allMatch(
                i ->
                    statuses.get(i).equals(expected.get(i))
                        || (i == statuses.size() - 1 && statuses.get(i).equals("completed")));
  }

  /** As exact as the ends of sessions, which polls show late. */
  private static boolean endsWithLast(PresenceHistory history, MeetingRow row, Instant end) {
    PresenceBounds bounds = history.bounds();
    Instant next =
        history.meetings().stream()
            .filter(it -> it.tracked() && it.room().equals(row.room()))
            .map(MeetingRow::since)
            .filter(since -> since.isAfter(row.since()))
            .min(Comparator.naturalOrder())
            .orElse(Instant.MAX);
    Optional<ActualVisit> last =
        history.visits().stream()
            .filter(visit -> visit.room().equals(row.room()) && visit.joinedAt().isBefore(next))
            .filter(visit -> visit.leftAt().isPresent())
            .max(Comparator.comparing(visit -> visit.leftAt().orElseThrow()));
    return last.filter(
            visit -> {
              Instant left = visit.leftAt().orElseThrow();
              Duration early = visit.leaveDelivered() ? bounds.exact() : bounds.freshness();
              return !end.isBefore(left.minus(early))
                  && !end.isAfter(left.plus(bounds.lag()).plus(bounds.exact()));
            })
        .isPresent();
  }
}
