package io.convoke.server.transcripts;

import io.convoke.engine.sql.Database;
import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the segments to the search that were stored before it existed, newest table rows last. One
 * node at a time adds a batch; when none is left the task ends.
 */
public final class SearchBackfill implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SearchBackfill.class);
  private static final int BATCH = 500;
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration RETRY = Duration.ofMinutes(1);

  private final Database database;
  private final PeriodicTask task = new PeriodicTask("search-backfill", RETRY, this::round);

  /** Adds to the index in this database; starts with {@link #start}. */
  public SearchBackfill(Database database) {
    this.database = database;
  }

  /** Starts adding. */
  public void start() {
    task.start();
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() {
    if (add()) {
      return PAUSE;
    }
    if (done()) {
      task.close();
    }
    return RETRY;
  }

  /** Adds a batch; returns false if there is none, or another node adds one. */
  boolean add() {
    return database.transaction(
        tx ->
            tx.sql(
                        """
                    with place as (
                      select next_id, last_id from transcript_backfill
                      where next_id <= last_id for update skip locked),
                    batch as (
                      select t.id, t.meeting_id, coalesce(t.shown_text, t.text) as text, t.language, t.completed
                      from place, lateral (
                        select * from transcriptions
                        where id >= place.next_id and id <= place.last_id order by id limit ?
                        for key share) as t),
                    added as (
                      insert into transcript_words (segment_id, user_id, keys)
                      select b.id, m.user_id,
                        convoke.transcript_words_of(b.id, m.user_id, b.text, b.language)
                      from batch b join meetings m on m.id = b.meeting_id where b.completed
                      on conflict (segment_id) do nothing)
                    update transcript_backfill
                    set next_id = coalesce((select max(id) from batch), last_id) + 1
                    where exists (select from place)
                    """)
                    .with(BATCH)
                    .update()
                > 0);
  }

  private boolean done() {
    boolean done =
        database.read(
            tx ->
                tx.sql(
                        "select not exists (select from transcript_backfill where next_id <= last_id) as done")
                    .one(resultRow -> resultRow.booleanAt("done")));
    if (done) {
      log.debug("All stored segments can be searched");
    }
    return done;
  }
}
