package io.convoke.server.presence;

import io.convoke.engine.sql.Answers;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Row;
import io.convoke.engine.sql.Tx;
import io.convoke.server.presence.merge.Evidence;
import io.convoke.server.presence.merge.Source;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The SQL of a meeting's row in {@code presence}, which holds the epoch of its writers and what is
 * proven since when, and of {@code presence_events}, the events that were applied to it.
 */
final class PresenceRow {
  private final Duration reconcileInterval;
  private final InstantSource time;

  PresenceRow(Duration reconcileInterval, InstantSource time) {
    this.reconcileInterval = reconcileInterval;
    this.time = time;
  }

  /** The right to write one meeting's presence, until somebody raises the epoch again. */
  record Raised(Meeting meeting, long epoch, Optional<Instant> provenAt, Instant end) {

    /** {@code end} is now while the meeting has none. */
    private static Raised of(Row row) {
      return new Raised(
          MeetingRows.meeting(row),
          row.longAt("epoch"),
          row.maybeInstant("polled_at"),
          row.instant("end_time"));
    }

    static Optional<Raised> first(Query query) {
      return query.first(Raised::of);
    }

    static Optional<Raised> first(Answers answers) {
      return answers.first(Raised::of);
    }
  }

  /** Raises the epoch, and holds the row until the transaction ends; nothing without a meeting. */
  Query raise(Tx tx, long meeting) {
    return tx.sql(
            """
            with meeting as (
              select id, user_id, platform, platform_specific_id, status, tracked,
                     coalesce(end_time, now()) as end_time
              from meetings where id = ?
            ), raised as (
              insert into presence (meeting_id, epoch) select id, 1 from meeting
              on conflict (meeting_id) do update set epoch = presence.epoch + 1
              returning epoch, polled_at
            )
            select meeting.*, raised.* from meeting, raised
            """)
        .with(meeting);
  }

  /** Holds the row if the epoch is still that of the raise; answers it as it is now, or nothing. */
  Query fence(Tx tx, Raised raised) {
    return tx.sql(
            """
            select m.id, m.user_id, m.platform, m.platform_specific_id, m.status, m.tracked,
                   coalesce(m.end_time, now()) as end_time, p.epoch, p.polled_at
            from presence p join meetings m on m.id = p.meeting_id
            where p.meeting_id = ? and p.epoch = ? for update of p
            """)
        .with(raised.meeting().id(), raised.epoch());
  }

  /** Which of these events were applied to the meeting before; one column of their marks. */
  Query applied(Tx tx, long meeting, Collection<Evidence> evidence) {
    return tx.sql("select event_id from presence_events where event_id = any(?)")
        .with((Object) marks(meeting, evidence));
  }

  /** Remembers that these events are applied. */
  List<Query> remember(Tx tx, long meeting, Collection<Evidence> evidence) {
    return evidence.isEmpty()
        ? List.of()
        : List.of(
            tx.sql(
                    """
                    insert into presence_events (event_id) select unnest(?::text[])
                    on conflict do nothing
                    """)
                .with((Object) marks(meeting, evidence)));
  }

  /** An event of a room is applied once to each of its meetings. */
  static String mark(long meeting, Evidence evidence) {
    return meeting + ":" + evidence.eventId();
  }

  private static String[] marks(long meeting, Collection<Evidence> evidence) {
    Set<String> marks = new LinkedHashSet<>();
    evidence.forEach(one -> marks.add(mark(meeting, one)));
    return marks.toArray(String[]::new);
  }

  /**
   * Says what the sessions are proven for, and when the database's own due list wants a poll.
   *
   * @param proven when a complete snapshot was taken, if one was
   * @param heard the latest time that the events tell of
   * @param asked whether the platform was asked, whatever it answered
   */
  Query stamp(
      Tx tx,
      long meeting,
      Optional<Instant> proven,
      Optional<Instant> heard,
      boolean asked,
      Source source,
      Optional<Instant> confirmAt) {
    Instant due = time.instant().plus(asked ? reconcileInterval : Duration.ZERO);
    Optional<Instant> asOf = proven.or(() -> heard);
    return tx.sql(
            """
            update presence set
              as_of = greatest(as_of, ?::timestamptz),
              source = case when ?::timestamptz is null then source else ? end,
              polled_at = coalesce(?::timestamptz, polled_at),
              due_at = case when ? then 'infinity' else ?::timestamptz end
            where meeting_id = ?
            """)
        .with(
            asOf,
            asOf,
            source.text(),
            proven,
            // Nobody can be asked where only bots see anything.
            source == Source.BOT,
            confirmAt.filter(at -> at.isBefore(due)).orElse(due),
            meeting);
  }

  /** Nothing is due of a meeting that is over. */
  Query rest(Tx tx, long meeting) {
    return tx.sql("update presence set due_at = 'infinity' where meeting_id = ?").with(meeting);
  }

  /** The domain's answer agreed with what we hold: it is proven, without any change. */
  Query prove(Tx tx, Collection<Long> meetings, Instant at) {
    return tx.sql(
            """
            update presence set as_of = ?, polled_at = ?, source = 'bulk', due_at = ?
            where meeting_id = any(?) and (polled_at is null or polled_at < ?)
            """)
        .with(at, at, at.plus(reconcileInterval), meetings.toArray(Long[]::new), at);
  }

  /** Rows for meetings that became live, so that the due list knows them. */
  Query open(Tx tx, Collection<Long> meetings) {
    return tx.sql(
            """
            insert into presence (meeting_id) select unnest(?::bigint[]) on conflict do nothing
            """)
        .with((Object) meetings.toArray(Long[]::new));
  }
}
