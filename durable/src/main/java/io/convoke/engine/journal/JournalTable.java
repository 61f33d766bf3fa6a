package io.convoke.engine.journal;

import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The SQL of the journal, over the table {@code events}. */
final class JournalTable {
  private static final String COLUMNS = "seq, type, subject, user_id, at, data";

  private static final String OWNED = "(?::bigint is null or user_id = ?)";
  private static final String OWNED_BY_SEVERAL =
      "(user_id = ? or (user_id = any(?) and split_part(subject, ':', 1) = any(?)))";

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
    return read(tx, filter, "seq > ? and seq <= ?", List.of(after, upTo), "order by seq", limit);
  }

  List<JournalEvent> readBefore(Tx tx, EventFilter filter, long before, int limit) {
    return read(tx, filter, "seq < ?", List.of(before), "order by seq desc", limit);
  }

  /**
   * Reads the events of one owner in the order of an index. With several, it reads a page of each
   * in that order and merges them, since a page of all would otherwise be sought among everyone's
   * events; those of one subject are few.
   */
  private static List<JournalEvent> read(
      Tx tx, EventFilter filter, String range, List<Long> ends, String order, int limit) {
    Optional<EventOwners> several = filter.owners().filter(them -> !them.others().isEmpty());
    boolean merged = several.isPresent() && filter.subject().isEmpty();
    List<Object> parameters = new ArrayList<>();
    if (merged) {
      parameters.add(ids(several.get()));
    }
    parameters.addAll(ends);
    parameters.addAll(List.of(filter.type(), filter.type()));
    parameters.addAll(List.of(filter.subject(), filter.subject()));
    if (several.isPresent()) {
      EventOwners owners = several.get();
      parameters.addAll(
          List.of(owners.userId(), ids(owners), owners.kinds().toArray(String[]::new)));
    } else {
      Optional<Long> owner = filter.owners().map(EventOwners::userId);
      parameters.addAll(List.of(owner, owner));
    }
    parameters.addAll(List.of(filter.without(), filter.without(), limit));
    String page =
        "select "
            + COLUMNS
            + " from events where "
            + range
            + """
               and (?::text is null or type = ?)
              and (?::text is null or subject = ?)
              and OWNED
              and (?::text is null or type <> ?)
              \s"""
                .replace("OWNED", several.isPresent() ? OWNED_BY_SEVERAL : OWNED)
            + order
            + " limit ?";
    if (!merged) {
      return tx.sql(page).with(parameters.toArray()).list(JournalTable::event);
    }
    parameters.add(limit);
    return tx.sql(
            "select "
                + COLUMNS
                + " from unnest(?::bigint[]) as owner(id) cross join lateral ("
                + page.replace(" where ", " where user_id = owner.id and ")
                + ") as theirs "
                + order
                + " limit ?")
        .with(parameters.toArray())
        .list(JournalTable::event);
  }

  private static Long[] ids(EventOwners owners) {
    return Stream.concat(Stream.of(owners.userId()), owners.others().stream()).toArray(Long[]::new);
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
