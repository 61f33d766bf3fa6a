package io.convoke.engine.dispatch;

import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Supervised;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/**
 * Many callers, few transactions: while one batch is committed the next one gathers. A caller
 * returns when its own input is durable, or with the failure that its own input caused.
 */
final class Batches<I, O> implements AutoCloseable {
  private static final int WAITING_MAX = 10_000;

  private final int most;
  private final Function<List<I>, List<O>> flush;
  private final LinkedBlockingQueue<Entry<I, O>> queue = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Supervised thread;

  private record Entry<I, O>(I input, CompletableFuture<O> output) {}

  Batches(String name, int most, Function<List<I>, List<O>> flush) {
    this.most = most;
    this.flush = flush;
    this.thread = Supervised.start(name, this::turn);
  }

  /**
   * Waits until the input is flushed.
   *
   * @throws StoreUnavailable when the store is out of reach, or so many wait that it seems so
   */
  O submit(I input) {
    Entry<I, O> entry = new Entry<>(input, new CompletableFuture<>());
    if (!queue.offer(entry)) {
      throw new StoreUnavailable("too many wait for the ledger");
    }
    try {
      return entry.output.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailable("interrupted while waiting for the ledger");
    }
  }

  @Override
  public void close() {
    thread.close();
    List<Entry<I, O>> left = new ArrayList<>();
    int _ = queue.drainTo(left);
    left.forEach(entry -> fail(entry, new StoreUnavailable("the ledger is closed")));
  }

  private void turn() throws InterruptedException {
    List<Entry<I, O>> batch = new ArrayList<>();
    batch.add(queue.take());
    int _ = queue.drainTo(batch, most - 1);
    commit(batch);
  }

  private void commit(List<Entry<I, O>> batch) {
    try {
      List<O> outputs = flush.apply(batch.stream().map(Entry::input).toList());
      for (int i = 0; i < batch.size(); i++) {
        boolean _ = batch.get(i).output.complete(outputs.get(i));
      }
    } catch (SqlFailure e) {
      if (batch.size() == 1) {
        fail(batch.getFirst(), e);
      } else {
        batch.forEach(entry -> commit(List.of(entry)));
      }
    } catch (RuntimeException e) {
      batch.forEach(entry -> fail(entry, e));
    }
  }

  private static void fail(Entry<?, ?> entry, RuntimeException failure) {
    boolean _ = entry.output.completeExceptionally(failure);
  }
}
