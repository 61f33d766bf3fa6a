package io.convoke.server.presence.merge;

import io.convoke.server.platform.PresenceEvent;
import io.convoke.server.platform.PresenceEvent.PresenceEventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * When a meeting began, to tell its visits from earlier ones in its room. Platforms repeat an event
 * for up to an hour; by then the room may have another meeting, and another owner.
 *
 * @param joinedAfter the meeting's visits began after this time, unless they were going on when it
 *     began
 * @param endedAfter they ended after this time; where a rule began the meeting, they began after it
 *     as well
 * @param byRule whether a visit began the meeting, which is so older than its row
 */
public record MeetingBegin(Instant joinedAfter, Instant endedAfter, boolean byRule) {

  /** How much earlier than it was an end is reported: times come in whole seconds. */
  private static final Duration ROUNDED = Duration.ofSeconds(2);

  /** A meeting that a visit began by a rule, in a room where only visits after {@code at} count. */
  public static MeetingBegin byRule(Instant at) {
    return new MeetingBegin(at, at, true);
  }

  /**
   * A meeting that was asked for. A join may have a time from {@link PresenceMerge#LAG} before,
   * because two clocks may differ, and where events of leaves do not tell the begin of the visit
   * nothing else shows a short one. The next poll tells who is not there any more.
   *
   * @param at when it was asked for
   * @param opensAt since when the room is the user's; empty if rooms have no owners there
   */
  public static MeetingBegin askedFor(Instant at, Optional<Instant> opensAt) {
    Instant ended = at.minus(ROUNDED);
    Instant joined = at.minus(PresenceMerge.LAG);
    return new MeetingBegin(
        opensAt
            .filter(joined::isBefore)
            .map(opens -> opens.isBefore(ended) ? opens : ended)
            .orElse(joined),
        ended,
        false);
  }

  /**
   * The events that are about the meeting's own visits. Who came before it and is still there, a
   * snapshot shows; a session is known by that or by its join, and its events are the meeting's.
   * Where another visit may have had the same id, only a leave since the session began is. A
   * platform that only a bot observes has no such snapshots, and what a bot reports is its own
   * user's, so its events all stay.
   *
   * @param known the meeting's sessions that the events name
   */
  public List<PresenceEvent> own(
      List<PresenceEvent> events, List<ParticipantSession> known, ConnectionIds ids) {
    Map<String, Instant> began =
        Stream.concat(
                known.stream().map(it -> Map.entry(it.sessionId(), it.joinedAt())),
                events.stream()
                    .filter(it -> it.kind() == PresenceEventKind.JOINED && !earlier(it))
                    .map(it -> Map.entry(it.sessionId(), begin(it))))
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a.isBefore(b) ? a : b));
    return events.stream()
        .filter(
            event ->
                !earlier(event)
                    || ofSession(event, Optional.ofNullable(began.get(event.sessionId())), ids))
        .toList();
  }

  private static boolean ofSession(
      PresenceEvent event, Optional<Instant> began, ConnectionIds ids) {
    return switch (ids) {
      case UNIQUE -> began.isPresent();
      case REUSED ->
          event.kind() == PresenceEventKind.LEFT
              && began.filter(it -> !it.isAfter(event.at())).isPresent();
    };
  }

  private static Instant begin(PresenceEvent event) {
    return event.joinedAt().orElse(event.at());
  }

  private boolean earlier(PresenceEvent event) {
    Instant time = byRule ? begin(event) : event.at();
    return !event.byBot()
        && switch (event.kind()) {
          case JOINED -> !time.isAfter(joinedAfter);
          case LEFT -> !time.isAfter(endedAfter);
          case STARTED, ENDED -> event.waiting().isPresent() && !time.isAfter(endedAfter);
        };
  }
}
