package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.BatchResults;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Query;
import io.convoke.engine.sql.Tx;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Inserts into a queue and notifies dispatchers of what became visible. After a pause the writer
 * itself notifies other nodes, in the same round trip right after its commit, which has the least
 * latency. Under continuous load the {@link NewWorkNotifier} notifies once for many writers.
 */
final class NotifyingInsert {
  private NotifyingInsert() {}

  /**
   * Commits one statement.
   *
   * @param insert stores what it made visible, as {@link NewWorkNotifier#visible} does
   * @param reading reads its rows
   */
  static <T> InsertResult<T> insert(
      Database database,
      QueueHandle queueHandle,
      Function<Tx, Query> insert,
      Function<BatchResults, InsertResult<T>> reading) {
    Optional<String> channel = queueHandle.tellingOn();
    if (channel.isEmpty()) {
      InsertResult<T> insertResult =
          database.read(tx -> tx.queryTogether(List.of(insert.apply(tx)), reading));
      insertResult.earliest().ifPresent(queueHandle::wrote);
      return insertResult;
    }
    NotifiedInsert<T> notifiedInsert =
        speak(database, queueHandle, insert, NewWorkNotifier.telling(channel.get()), reading);
    notifiedInsert
        .written
        .earliest()
        .ifPresent(at -> queueHandle.wroteAndTold(at, notifiedInsert.voice));
    return notifiedInsert.written;
  }

  /** What was written, and the backend process that notified. */
  private record NotifiedInsert<T>(InsertResult<T> written, int voice) {}

  private static <T> NotifiedInsert<T> speak(
      Database database,
      QueueHandle queueHandle,
      Function<Tx, Query> insert,
      Function<Tx, Query> telling,
      Function<BatchResults, InsertResult<T>> reading) {
    boolean known = false;
    try {
      NotifiedInsert<T> notifiedInsert =
          database.transaction(
              tx ->
                  tx.commit(
                      List.of(insert.apply(tx)),
                      telling.apply(tx),
                      batchResults ->
                          new NotifiedInsert<>(
                              reading.apply(batchResults),
                              batchResults
                                  .first(resultRow -> resultRow.intAt("voice"))
                                  .orElseThrow())));
      known = true;
      return notifiedInsert;
    } finally {
      if (!known) {
        // The commit may have happened, and this node ignores its own notifications.
        queueHandle.wrote(Instant.EPOCH);
      }
    }
  }
}
