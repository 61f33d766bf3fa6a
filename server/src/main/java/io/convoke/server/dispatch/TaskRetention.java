package io.convoke.server.dispatch;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes old tasks and their settlements from the database. All servers with the role may run it
 * at the same time; each row is deleted once.
 */
final class TaskRetention implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TaskRetention.class);
  private static final Duration EVERY = Duration.ofHours(1);
  private static final int BATCH = 1000;

  private final Database database;
  private final Duration kept;
  private final Duration every;
  private final Waiter waiter = new Waiter();
  private final TestSignal<Integer> removed = new TestSignal<>();
  private final BackgroundLoop thread;

  TaskRetention(Database database, Duration kept) {
    this(database, kept, EVERY);
  }

  TaskRetention(Database database, Duration kept, Duration every) {
    this.database = database;
    this.kept = kept;
    this.every = every;
    this.thread = BackgroundLoop.start("task-retention", this::turn);
  }

  /** Emits the number of deleted tasks of each run. */
  TestSignal<Integer> removed() {
    return removed;
  }

  @Override
  public void close() {
    waiter.close();
    thread.close();
  }

  private void turn() throws InterruptedException {
    if (!waiter.await(every)) {
      return;
    }
    try {
      int all = 0;
      int batch;
      do {
        batch = batch();
        all += batch;
      } while (batch == BATCH && !waiter.closed());
      if (all > 0) {
        log.info("Deleted {} old tasks", all);
      }
      removed.emit(all);
    } catch (StoreUnavailable e) {
      log.debug("Postgres unreachable; deletion of old tasks skipped");
    }
  }

  /** Deletes the oldest ended tasks; running tasks stay. */
  private int batch() {
    return database.transaction(
        tx ->
            tx.sql(
                    """
                    with gone as (
                      delete from tasks where id in (
                        select id from tasks
                        where created_at < now() - ?::float8 * interval '1 millisecond'
                          and completed_at < now() - ?::float8 * interval '1 millisecond'
                        order by created_at, id limit ?)
                      returning id),
                    settled as (
                      delete from task_settlements s using gone where s.task_id = gone.id)
                    select count(*) as removed from gone
                    """)
                .with(kept, kept, BATCH)
                .one(resultRow -> resultRow.intAt("removed")));
  }
}
