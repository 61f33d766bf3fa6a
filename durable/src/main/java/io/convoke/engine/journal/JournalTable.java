package io.convoke.engine.journal;

import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.List;
import java.util.Set;

/** The SQL of the journal, over the table {@code events}. */
final class JournalTable {
  private static final String COLUMNS = "seq, type, subject, user_id, at, data";

  Query insert(Tx tx, List<NewJournalEvent> events) {
    return tx.sql(
            """
            insert into events (type, subject, user_id, data)
            select e.type, e.subject, e.user_id, e.data::jsonb
            from unnest(?::text[], ?::text[], ?::bigint[], ?::text[])
              with ordinality as e(type, subject, user_id, data, n)
            order by e.n
            """)
        .with(
            events.stream().map(NewJournalEvent::type).toArray(String[]::new),
            events.stream().map(NewJournalEvent::subject).toArray(String[]::new),
            events.stream().map(e -> e.userId().orElse(null)).toArray(Long[]::new),
            events.stream().map(NewJournalEvent::data).toArray(String[]::new));
  }

  List<JournalEvent> read(Tx tx, EventFilter filter, long after, long upTo, int limit) {
    return tx.sql(
            "select "
                + COLUMNS
                + """
                 from events
                where seq > ? and seq <= ?
                  and (?::text is null or type = ?)
                  and (?::text is null or subject = ?)
                  and (?::bigint is null or user_id = ?)
                  and (?::text is null or type <> ?)
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
            filter.without(),
            filter.without(),
            limit)
        .list(JournalTable::event);
  }

  List<JournalEvent> readBefore(Tx tx, EventFilter filter, long before, int limit) {
    return tx.sql(
            "select "
                + COLUMNS
                + """
                 from events
                where seq < ?
                  and (?::text is null or type = ?)
                  and (?::text is null or subject = ?)
                  and (?::bigint is null or user_id = ?)
                  and (?::text is null or type <> ?)
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
            filter.without(),
            filter.without(),
            limit)
        .list(JournalTable::event);
  }

  /** All events after a sequence that are visible now. */
  List<JournalEvent> after(Tx tx, long after, int limit) {
    return tx.sql("select " + COLUMNS + " from events where seq > ? order by seq limit ?")
        .with(after, limit)
        .list(JournalTable::event);
  }

  /** The greatest sequence that is visible now, 0 in an empty journal. */
  long last(Tx tx) {
    return tx.sql("select coalesce(max(seq), 0) as last from events")
        .one(resultRow -> resultRow.longAt("last"));
  }

  /**
   * The transactions that have begun to insert into the journal and have not ended, by their
   * virtual ids. An insert locks the table before it draws a sequence and until its transaction
   * ends; the lock goes after the commit has become visible.
   */
  Set<String> writers(Tx tx) {
    return Set.copyOf(
        tx.sql(
                """
                select distinct l.virtualtransaction as writer
                from pg_locks l
                where l.locktype = 'relation'
                  and l.relation = 'events'::regclass
                  and l.database = (select oid from pg_database where datname = current_database())
                  and l.mode = 'RowExclusiveLock'
                  and l.granted
                """)
            .list(resultRow -> resultRow.text("writer")));
  }

  void announce(Tx tx, String node) {
    boolean _ =
        tx.sql("select pg_notify(?, ?) is null as sent")
            .with(Journal.CHANNEL, node)
            .one(resultRow -> resultRow.booleanAt("sent"));
  }

  private static JournalEvent event(ResultRow resultRow) {
    return new JournalEvent(
        resultRow.longAt("seq"),
        resultRow.text("type"),
        resultRow.text("subject"),
        resultRow.maybeLong("user_id"),
        resultRow.instant("at"),
        resultRow.json("data"));
  }
}
