package io.convoke.server.presence;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The table {@code dead_letters}. Events of a room without a live meeting share one row with a
 * count, because the platform sends the events of the whole account. Rows are deleted {@link
 * #KEPT_DAYS} days after their last letter, and of those without a room the newest {@link
 * #KEPT_ROWS} stay.
 */
final class WebhookDeadLetterStore {
  private static final int KEPT_DAYS = 30;
  private static final int KEPT_ROWS = 10_000;

  private final Database database;
  private final String source;
  private final PresenceMetrics meters;
  private final PresenceTestSignals signals;

  WebhookDeadLetterStore(
      Database database, String source, PresenceMetrics meters, PresenceTestSignals signals) {
    this.database = database;
    this.source = source;
    this.meters = meters;
    this.signals = signals;
  }

  /**
   * A row.
   *
   * @param count letters in this room for this reason; 1 without a room
   * @param body the latest of them
   */
  record DeadLetterRow(
      long id,
      String source,
      String reason,
      Optional<String> room,
      long count,
      Instant firstAt,
      Instant lastAt,
      String body) {
    private static DeadLetterRow of(ResultRow resultRow) {
      return new DeadLetterRow(
          resultRow.longAt("id"),
          resultRow.text("source"),
          resultRow.text("reason"),
          resultRow.maybeText("room"),
          resultRow.longAt("count"),
          resultRow.instant("arrived_at"),
          resultRow.instant("last_at"),
          new String(resultRow.bytes("body"), StandardCharsets.UTF_8));
    }
  }

  /** What a statement adds to one row. */
  private record Addition(DeadLetter latest, int count) {}

  /** Writes dead letters, in one statement. */
  void add(List<DeadLetter> deadLetters) {
    if (deadLetters.isEmpty()) {
      return;
    }
    List<Addition> additions = additions(deadLetters);
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        insert into dead_letters (source, reason, body, room, count)
                        select ?, reason, convert_to(body, 'UTF8'), nullif(room, ''), count
                        from unnest(?::text[], ?::text[], ?::text[], ?::bigint[])
                          as letter (reason, body, room, count)
                        on conflict (source, reason, room) where room is not null do update
                          set count = dead_letters.count + excluded.count, body = excluded.body,
                            last_at = excluded.last_at
                        """)
                    .with(
                        source,
                        additions.stream().map(it -> it.latest().reason()).toArray(String[]::new),
                        additions.stream()
                            .map(it -> clean(it.latest().body()))
                            .toArray(String[]::new),
                        additions.stream()
                            .map(
                                it ->
                                    it.latest()
                                        .room()
                                        .map(WebhookDeadLetterStore::clean)
                                        .orElse(""))
                            .toArray(String[]::new),
                        additions.stream().map(it -> (long) it.count()).toArray(Long[]::new))
                    .update());
    for (DeadLetter deadLetter : deadLetters) {
      meters.recordDeadLetter(deadLetter.reason());
      signals.routed().emit(deadLetter.reason());
    }
  }

  /**
   * The letters by row, those with a room in its order, so that two nodes lock the rows in the same
   * order.
   */
  private static List<Addition> additions(List<DeadLetter> deadLetters) {
    List<Addition> additions = new ArrayList<>();
    Map<String, Addition> byRow = new TreeMap<>();
    for (DeadLetter deadLetter : deadLetters) {
      if (deadLetter.room().isEmpty()) {
        additions.add(new Addition(deadLetter, 1));
      } else {
        String row = deadLetter.reason() + '\n' + clean(deadLetter.room().get());
        byRow.merge(
            row,
            new Addition(deadLetter, 1),
            (sum, one) -> new Addition(one.latest(), sum.count() + 1));
      }
    }
    additions.addAll(byRow.values());
    return additions;
  }

  /**
   * Rows by the time of their last letter, newest first.
   *
   * @param beforeMicros microseconds since the epoch; with {@code beforeId} the row before the page
   */
  List<DeadLetterRow> list(long beforeMicros, long beforeId, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    """
                    select id, source, reason, room, count, arrived_at, last_at, body
                    from dead_letters
                    where (last_at, id) <
                      ('epoch'::timestamptz + ? * interval '1 microsecond', ?)
                    order by last_at desc, id desc limit ?
                    """)
                .with(beforeMicros, beforeId, limit)
                .list(DeadLetterRow::of));
  }

  /** Deletes old rows. */
  void prune() {
    int _ =
        database.read(
            tx ->
                tx.sql(
                        """
                        delete from dead_letters
                        where last_at < now() - ? * interval '1 day' or id in (
                          select id from dead_letters where room is null
                          order by id desc offset ?)
                        """)
                    .with(KEPT_DAYS, KEPT_ROWS)
                    .update());
  }

  /** Removes what Postgres does not accept in a text. */
  private static String clean(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        .replace("\0", "");
  }
}
