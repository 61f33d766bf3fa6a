package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.recordings.MeetingMatch.MatchCandidate;
import io.convoke.server.recordings.MeetingMatch.MatchedAttendance;
import io.convoke.server.rooms.RoomClaims;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Gathers the input of {@link MeetingMatch}: meetings of the room and their participants. */
final class MeetingMatchQueries {
  /** The candidates for a recording of unknown times. */
  private static final Duration LOOK_BACK = Duration.ofDays(7);

  /**
   * Meetings in the room of a recording {@code r} whose time it overlaps, within the tolerance.
   * Where rooms have owners the owner's claim must open the recording; meetings of former owners
   * count only if the recording began within them and before the present claim. The platform's
   * times are whole seconds.
   */
  private static final String FITTING =
      """
      join meetings m on m.platform = ? and m.platform_specific_id = r.room
      left join room_claim_for(m.platform, m.platform_specific_id, m.user_id) c on true
      where coalesce(m.start_time, m.created_at) <= r.ended + ? * interval '1 ms'
        and coalesce(m.end_time, 'infinity') >= r.began - ? * interval '1 ms'
        and (not ?
          or (c.user_id = m.user_id and c.opens_at <= r.began
            and c.claimed_at <= r.ended)
          or (date_trunc('second', coalesce(m.start_time, m.created_at)) <= r.began
            and date_trunc('second', coalesce(m.end_time, 'infinity')) > r.began
            and not coalesce(
              c.user_id <> m.user_id
                and date_trunc('second', c.claimed_at) <= r.began, false)))
      """;

  private final Database database;
  private final RecordingSource source;
  private final InstantSource time;

  MeetingMatchQueries(Database database, RecordingSource source, InstantSource time) {
    this.database = database;
    this.source = source;
    this.time = time;
  }

  /**
   * Finds the meeting of a recording. Queries the platform only when there are several candidates.
   */
  MeetingAssignment place(RecordingInfo facts) {
    Instant until = until(facts);
    List<MatchCandidate> candidates = candidates(facts.room(), from(facts), until);
    if (candidates.size() > 1) {
      candidates = withPeople(candidates, facts, until);
    }
    Optional<Instant> middle =
        facts.startedAt().map(start -> start.plus(Duration.between(start, until).dividedBy(2)));
    return MeetingMatch.decide(candidates, middle);
  }

  /** Those of these recordings that have a candidate, by one query. */
  Set<String> withCandidates(List<RecordingInfo> recordings) {
    return recordings.isEmpty()
        ? Set.of()
        : Set.copyOf(
            database.read(
                tx ->
                    tx.sql(
                            """
                            select distinct r.id
                            from unnest(?::text[], ?::text[], ?::timestamptz[], ?::timestamptz[])
                              as r (id, room, began, ended)
                            FITTING
                            """
                                .replace("FITTING", FITTING))
                        .with(
                            recordings.stream().map(RecordingInfo::id).toArray(String[]::new),
                            recordings.stream().map(RecordingInfo::room).toArray(String[]::new),
                            recordings.stream().map(this::from).toArray(Instant[]::new),
                            recordings.stream().map(this::until).toArray(Instant[]::new),
                            source.name(),
                            MeetingMatch.TOLERANCE,
                            MeetingMatch.TOLERANCE,
                            RoomClaims.applyTo(source.name()))
                        .list(resultRow -> resultRow.text("id"))));
  }

  private Instant from(RecordingInfo facts) {
    return facts.startedAt().orElseGet(() -> time.instant().minus(LOOK_BACK));
  }

  private Instant until(RecordingInfo facts) {
    return facts.endedAt().or(facts::startedAt).orElseGet(time::instant);
  }

  private List<MatchCandidate> candidates(String room, Instant from, Instant until) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select m.id, m.user_id, m.tracked, coalesce(m.start_time, m.created_at) as began,
                      m.end_time
                    from (values (?::timestamptz, ?::timestamptz, ?::text)) as r (began, ended, room)
                    FITTING
                    order by m.id desc limit ?
                    """
                        .replace("FITTING", FITTING))
                .with(
                    from,
                    until,
                    room,
                    source.name(),
                    MeetingMatch.TOLERANCE,
                    MeetingMatch.TOLERANCE,
                    RoomClaims.applyTo(source.name()),
                    MeetingAssignment.CANDIDATES_MAX)
                .list(
                    resultRow ->
                        new MatchCandidate(
                            resultRow.longAt("id"),
                            resultRow.longAt("user_id"),
                            resultRow.booleanAt("tracked"),
                            resultRow.instant("began"),
                            resultRow.maybeInstant("end_time"),
                            MatchedAttendance.UNKNOWN)));
  }

  private List<MatchCandidate> withPeople(
      List<MatchCandidate> candidates, RecordingInfo facts, Instant until) {
    Optional<Set<String>> named = facts.sessionId().flatMap(source::attendance);
    if (named.isEmpty() || named.get().isEmpty()) {
      return candidates;
    }
    Map<Long, MatchedAttendance> people = people(candidates, named.get(), until);
    return candidates.stream()
        .map(one -> one.with(people.getOrDefault(one.meetingId(), MatchedAttendance.UNKNOWN)))
        .toList();
  }

  private Map<Long, MatchedAttendance> people(
      List<MatchCandidate> candidates, Set<String> named, Instant until) {
    return database.read(
        tx ->
            tx
                .sql(
                    """
                    select m.id,
                      coalesce(bool_or(s.session_id = any(?)), false) as theirs,
                      count(s.session_id) > 0
                        and bool_or(m.end_time is not null or p.polled_at >= ?) as others
                    from meetings m
                    left join presence p on p.meeting_id = m.id
                    left join participant_sessions s on s.meeting_id = m.id
                    where m.id = any(?) group by m.id
                    """)
                .with(
                    named.toArray(String[]::new),
                    until,
                    candidates.stream().map(MatchCandidate::meetingId).toArray(Long[]::new))
                .list(
                    resultRow ->
                        Map.entry(
                            resultRow.longAt("id"),
                            resultRow.booleanAt("theirs")
                                ? MatchedAttendance.THEIRS
                                : resultRow.booleanAt("others")
                                    ? MatchedAttendance.OTHERS
                                    : MatchedAttendance.UNKNOWN))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
