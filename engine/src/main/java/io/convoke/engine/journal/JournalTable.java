package io.convoke.engine.journal;

import io.convoke.engine.journal.Horizon.Look;
import io.convoke.engine.sql.Row;
import io.convoke.engine.sql.Tx;
import java.util.List;

/** The SQL of the journal, over the table {@code events}. */
final class JournalTable {
  private static final String COLUMNS = "seq, type, subject, user_id, at, data";

  void insert(Tx tx, List<NewEvent> events) {
    // The transaction id comes first: Horizon relies on it being older than the sequence.
    int _ =
        tx.sql(
                """
                with writer as materialized (select pg_current_xact_id() as id)
                insert into events (type, subject, user_id, data)
                select e.type, e.subject, e.user_id, e.data::jsonb
                from writer, unnest(?::text[], ?::text[], ?::bigint[], ?::text[])
                  with ordinality as e(type, subject, user_id, data, n)
                where writer.id is not null
                order by e.n
                """)
            .with(
                events.stream().map(NewEvent::type).toArray(String[]::new),
                events.stream().map(NewEvent::subject).toArray(String[]::new),
                events.stream().map(e -> e.userId().orElse(null)).toArray(Long[]::new),
                events.stream().map(e -> e.data().toString()).toArray(String[]::new))
            .update();
  }

  List<Event> read(Tx tx, EventFilter filter, long after, long upTo, int limit) {
    return tx.sql(
            "select "
                + COLUMNS
                + """
                 from events
                where seq > ? and seq <= ?
                  and (?::text is null or type = ?)
                  and (?::text is null or subject = ?)
                  and (?::bigint is null or user_id = ?)
                order by seq
                limit ?
                """)
        .with(
            after,
            upTo,
            filter.type(),
            filter.type(),
            filter.subject(),
            filter.subject(),
            filter.userId(),
            filter.userId(),
            limit)
        .list(JournalTable::event);
  }

  List<Event> readBefore(Tx tx, EventFilter filter, long before, int limit) {
    return tx.sql(
            "select "
                + COLUMNS
                + """
                 from events
                where seq < ?
                  and (?::text is null or type = ?)
                  and (?::text is null or subject = ?)
                  and (?::bigint is null or user_id = ?)
                order by seq desc
                limit ?
                """)
        .with(
            before,
            filter.type(),
            filter.type(),
            filter.subject(),
            filter.subject(),
            filter.userId(),
            filter.userId(),
            limit)
        .list(JournalTable::event);
  }

  /** One look from one snapshot: the events after a sequence, and which writers still run. */
  Look look(Tx tx, long after, int limit, List<Event> into) {
    record Line(Event event, long xmin, long xmax) {}
    List<Line> lines =
        tx.sql(
                """
                select seq, type, subject, user_id, at, data,
                       pg_snapshot_xmin(snapshot)::text::bigint as xmin,
                       pg_snapshot_xmax(snapshot)::text::bigint as xmax
                from pg_current_snapshot() as snapshot, events
                where seq > ?
                order by seq
                limit ?
                """)
            .with(after, limit)
            .list(row -> new Line(event(row), row.longAt("xmin"), row.longAt("xmax")));
    lines.forEach(line -> into.add(line.event()));
    return lines.isEmpty()
        ? Look.NOTHING
        : new Look(
            lines.stream().map(line -> line.event().seq()).toList(),
            lines.getFirst().xmin(),
            lines.getFirst().xmax());
  }

  /** What is visible to a process that begins, as a hole up to its last event. */
  Horizon visible(Tx tx) {
    return tx.sql(
            """
            select coalesce((select max(seq) from events), 0) as last,
                   pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xmax
            """)
        .one(row -> new Horizon(0, row.longAt("last"), row.longAt("xmax")));
  }

  /** The oldest transaction that still writes. */
  long oldestWriter(Tx tx) {
    return tx.sql("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin")
        .one(row -> row.longAt("xmin"));
  }

  private static Event event(Row row) {
    return new Event(
        row.longAt("seq"),
        row.text("type"),
        row.text("subject"),
        row.maybeLong("user_id"),
        row.instant("at"),
        row.json("data"));
  }
}
