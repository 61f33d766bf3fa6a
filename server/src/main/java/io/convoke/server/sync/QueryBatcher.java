package io.convoke.server.sync;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Turns calls of many threads into few trips to the database. While one batch is under way the next
 * one gathers, so batches are as large as there is load and a lone caller does not wait. A call is
 * always served by a trip that began after it.
 *
 * <p>A caller waits as long as it says; an input whose caller has stopped waiting is dropped unless
 * it has left already.
 */
final class QueryBatcher<I, O> {
  /** Carries a batch and answers for each input, in their order. */
  interface BatchQuery<I, O> {
    List<O> run(List<I> batch);
  }

  private final String name;
  private final int batchMax;
  private final int tripsMax;
  private final int waitingMax;
  private final BatchQuery<I, O> batchQuery;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<QueryBatchEntry<I, O>> queue = new ArrayDeque<>();
  private int trips;

  /** One caller's input and what becomes of it. */
  private record QueryBatchEntry<I, O>(I input, CompletableFuture<O> answer) {}

  /**
   * A gathering point.
   *
   * @param batchMax inputs of one trip
   * @param tripsMax trips at the same time
   * @param waitingMax inputs that may wait; what comes then is refused at once
   */
  QueryBatcher(
      String name, int batchMax, int tripsMax, int waitingMax, BatchQuery<I, O> batchQuery) {
    this.name = name;
    this.batchMax = batchMax;
    this.tripsMax = tripsMax;
    this.waitingMax = waitingMax;
    this.batchQuery = batchQuery;
  }

  /**
   * Waits for the answer.
   *
   * @throws StoreUnavailable if there is none in time; a trip that is under way may still arrive
   */
  O submit(I input, Duration atMost) {
    QueryBatchEntry<I, O> queryBatchEntry = new QueryBatchEntry<>(input, new CompletableFuture<>());
    enter(queryBatchEntry);
    try {
      return queryBatchEntry.answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      boolean _ = queryBatchEntry.answer.cancel(false);
      throw new StoreUnavailable("no answer from the database within " + atMost);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailable("interrupted");
    }
  }

  private void enter(QueryBatchEntry<I, O> queryBatchEntry) {
    lock.lock();
    try {
      if (queue.size() >= waitingMax) {
        throw new StoreUnavailable("too many calls wait for the database");
      }
      queue.addLast(queryBatchEntry);
      if (trips == tripsMax) {
        return;
      }
      trips++;
    } finally {
      lock.unlock();
    }
    var _ = Thread.ofVirtual().name(name).start(this::travel);
  }

  private void travel() {
    while (true) {
      List<QueryBatchEntry<I, O>> batch = next();
      if (batch.isEmpty()) {
        return;
      }
      carry(batch);
    }
  }

  /** The next batch; none ends this traveller. */
  private List<QueryBatchEntry<I, O>> next() {
    List<QueryBatchEntry<I, O>> batch = new ArrayList<>();
    lock.lock();
    try {
      while (batch.size() < batchMax && !queue.isEmpty()) {
        QueryBatchEntry<I, O> queryBatchEntry = queue.removeFirst();
        if (!queryBatchEntry.answer.isDone()) {
          batch.add(queryBatchEntry);
        }
      }
      if (batch.isEmpty()) {
        trips--;
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** A batch that the database refuses goes again one by one: each caller gets its own error. */
  private void carry(List<QueryBatchEntry<I, O>> batch) {
    try {
      List<O> answers = batchQuery.run(batch.stream().map(QueryBatchEntry::input).toList());
      for (int i = 0; i < batch.size(); i++) {
        boolean _ = batch.get(i).answer.complete(answers.get(i));
      }
    } catch (SqlFailure e) {
      if (batch.size() == 1) {
        boolean _ = batch.getFirst().answer.completeExceptionally(e);
      } else {
        batch.forEach(queryBatchEntry -> carry(List.of(queryBatchEntry)));
      }
    } catch (RuntimeException | Error e) {
      batch.forEach(queryBatchEntry -> queryBatchEntry.answer.completeExceptionally(e));
    }
  }
}
