package io.convoke.server.loop;

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
 * Batches calls of many threads into few round trips to Postgres. Calls that arrive during a round
 * trip form the next batch, so batches grow with load and a single caller does not wait. A call is
 * always served by a round trip that began after it.
 *
 * <p>Each caller has a timeout; an input whose caller timed out is dropped unless it was already
 * sent.
 */
public final class QueryBatcher<I, O> {
  /** Executes a batch and returns one result per input, in order. */
  public interface BatchQuery<I, O> {
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

  /** One caller's input and its future result. */
  private record QueryBatchEntry<I, O>(I input, CompletableFuture<O> answer) {}

  /**
   * Creates a batcher.
   *
   * @param batchMax maximum inputs per round trip
   * @param tripsMax maximum concurrent round trips
   * @param waitingMax maximum queued inputs; further ones are rejected at once
   */
  public QueryBatcher(
      String name, int batchMax, int tripsMax, int waitingMax, BatchQuery<I, O> batchQuery) {
    this.name = name;
    this.batchMax = batchMax;
    this.tripsMax = tripsMax;
    this.waitingMax = waitingMax;
    this.batchQuery = batchQuery;
  }

  /**
   * Submits an input and waits for its result.
   *
   * @throws StoreUnavailable on timeout; a running round trip may still be executed
   */
  public O submit(I input, Duration atMost) {
    QueryBatchEntry<I, O> queryBatchEntry = new QueryBatchEntry<>(input, new CompletableFuture<>());
    enter(queryBatchEntry);
    try {
      return queryBatchEntry.answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      boolean _ = queryBatchEntry.answer.cancel(false);
      throw new StoreUnavailable("no response from Postgres within " + atMost);
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
        throw new StoreUnavailable("too many calls are queued for Postgres");
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

  /** The next batch; empty ends this worker. */
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

  /**
   * Executes a batch; if Postgres rejects it, its inputs are executed one by one, so that each
   * caller gets its own error.
   */
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
