package io.convoke.server.recordings;

import io.convoke.engine.sql.Database;
import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.recordings.MeetingMatch.Candidate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gathers what {@link MeetingMatch} decides on: meetings of the room, and who was in them. */
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

  /** Whose a recording is. Asks the platform only when there is a choice. */
  Placement place(RecordingFacts facts) {
    Instant from = facts.startedAt().orElseGet(() -> time.instant().minus(LOOK_BACK));
    Instant until = facts.endedAt().or(facts::startedAt).orElseGet(time::instant);
    List<Candidate> candidates =
        candidates(
            facts.room(), from.minus(MeetingMatch.TOLERANCE), until.plus(MeetingMatch.TOLERANCE));
    if (candidates.size() > 1) {
      candidates = withShared(candidates, facts);
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
                            0)));
  }

  private List<Candidate> withShared(List<Candidate> candidates, RecordingFacts facts) {
    Optional<Set<String>> people = facts.sessionId().flatMap(source::attendance);
    if (people.isEmpty() || people.get().isEmpty()) {
      return candidates;
    }
    Map<Long, Integer> shared = new HashMap<>();
    List<long[]> counted =
        database.read(
            tx ->
                tx.sql(
                        """
                        select meeting_id, count(distinct session_id) as shared
                        from participant_sessions
                        where meeting_id = any(?) and session_id = any(?) group by meeting_id
                        """)
                    .with(
                        candidates.stream().map(Candidate::meetingId).toArray(Long[]::new),
                        people.get().toArray(String[]::new))
                    .list(row -> new long[] {row.longAt("meeting_id"), row.longAt("shared")}));
    counted.forEach(row -> shared.put(row[0], Math.toIntExact(row[1])));
    return candidates.stream()
        .map(
            one ->
                new Candidate(
                    one.meetingId(),
                    one.userId(),
                    one.tracked(),
                    one.began(),
                    one.ended(),
                    shared.getOrDefault(one.meetingId(), 0)))
        .toList();
  }
}
