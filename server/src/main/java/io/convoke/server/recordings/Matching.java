package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.recordings.MeetingMatch.Candidate;
import io.convoke.server.recordings.MeetingMatch.People;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Gathers the input of {@link MeetingMatch}: meetings of the room and their participants. */
final class Matching {
  /** Where a recording of unknown times may belong. */
  private static final Duration LOOK_BACK = Duration.ofDays(7);

  private final Database database;
  private final RecordingSource source;
  private final InstantSource time;

  Matching(Database database, RecordingSource source, InstantSource time) {
    this.database = database;
    this.source = source;
    this.time = time;
  }

  /**
   * Finds the meeting of a recording. Queries the platform only when there are several candidates.
   */
  Placement place(RecordingFacts facts) {
    Instant from = facts.startedAt().orElseGet(() -> time.instant().minus(LOOK_BACK));
    Instant until = facts.endedAt().or(facts::startedAt).orElseGet(time::instant);
    List<Candidate> candidates =
        candidates(
            facts.room(), from.minus(MeetingMatch.TOLERANCE), until.plus(MeetingMatch.TOLERANCE));
    if (candidates.size() > 1) {
      candidates = withPeople(candidates, facts, until);
    }
    Optional<Instant> middle =
        facts.startedAt().map(start -> start.plus(Duration.between(start, until).dividedBy(2)));
    return MeetingMatch.decide(candidates, middle);
  }

  private List<Candidate> candidates(String room, Instant from, Instant until) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, user_id, tracked, coalesce(start_time, created_at) as began, end_time
                    from meetings
                    where platform = ? and platform_specific_id = ?
                      and coalesce(start_time, created_at) <= ?
                      and coalesce(end_time, 'infinity') >= ?
                    order by id desc limit ?
                    """)
                .with(source.name(), room, until, from, Placement.CANDIDATES_MAX)
                .list(
                    row ->
                        new Candidate(
                            row.longAt("id"),
                            row.longAt("user_id"),
                            row.booleanAt("tracked"),
                            row.instant("began"),
                            row.maybeInstant("end_time"),
                            People.UNKNOWN)));
  }

  private List<Candidate> withPeople(
      List<Candidate> candidates, RecordingFacts facts, Instant until) {
    Optional<Set<String>> named = facts.sessionId().flatMap(source::attendance);
    if (named.isEmpty() || named.get().isEmpty()) {
      return candidates;
    }
    Map<Long, People> people = people(candidates, named.get(), until);
    return candidates.stream()
        .map(one -> one.with(people.getOrDefault(one.meetingId(), People.UNKNOWN)))
        .toList();
  }

  private Map<Long, People> people(List<Candidate> candidates, Set<String> named, Instant until) {
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
                    candidates.stream().map(Candidate::meetingId).toArray(Long[]::new))
                .list(
                    row ->
                        Map.entry(
                            row.longAt("id"),
                            row.booleanAt("theirs")
                                ? People.THEIRS
                                : row.booleanAt("others") ? People.OTHERS : People.UNKNOWN))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }
}
