package io.convoke.engine.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Batches the calls of many threads into few calls of Redis. Inputs that arrive while calls are in
 * flight form the next batch, so batches grow with the load and a lone caller does not wait.
 * Packet, command and script then cost once for all of them.
 *
 * <p>A failed call fails for its whole batch: each caller's outcome is unknown, as it would be
 * alone.
 */
public final class Together<I, O> {
  /** Sends a batch and answers for each input, in their order. */
  @FunctionalInterface
  public interface Sending<I, O> {
    CompletionStage<List<O>> send(List<I> inputs);
  }

  private record Entry<I, O>(I input, CompletableFuture<O> output) {}

  private final int batchMax;
  private final int callsMax;
  private final Sending<I, O> sending;

  /** Guards the fields below; never held while a batch is sent or callers are completed. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Deque<Entry<I, O>> waiting = new ArrayDeque<>();
  private int calls;

  /**
   * A gathering point.
   *
   * @param batchMax inputs of one call
   * @param callsMax calls on their way at the same time
   */
  public Together(int batchMax, int callsMax, Sending<I, O> sending) {
    this.batchMax = batchMax;
    this.callsMax = callsMax;
    this.sending = sending;
  }

  /**
   * Waits for the answer for this input.
   *
   * @throws RedisUnavailable when Redis is away, or the caller is interrupted
   */
  public O ask(I input) {
    return Redis.await(begin(input));
  }

  /** The same without waiting. */
  public CompletableFuture<O> begin(I input) {
    Entry<I, O> entry = new Entry<>(input, new CompletableFuture<>());
    List<Entry<I, O>> batch;
    lock.lock();
    try {
      waiting.addLast(entry);
      if (calls == callsMax) {
        return entry.output;
      }
      calls++;
      batch = take();
    } finally {
      lock.unlock();
    }
    send(batch);
    return entry.output;
  }

  private void send(List<Entry<I, O>> batch) {
    CompletionStage<List<O>> sent;
    try {
      sent = sending.send(batch.stream().map(Entry::input).toList());
    } catch (RuntimeException | Error e) {
      sent = CompletableFuture.failedFuture(e);
    }
    var _ =
        sent.whenComplete(
            (outputs, error) -> {
              // First, so that Redis has something to do while the callers are told.
              sendNext();
              tell(batch, outputs, error);
            });
  }

  private void sendNext() {
    List<Entry<I, O>> batch;
    lock.lock();
    try {
      if (waiting.isEmpty()) {
        calls--;
        return;
      }
      batch = take();
    } finally {
      lock.unlock();
    }
    send(batch);
  }

  private List<Entry<I, O>> take() {
    List<Entry<I, O>> batch = new ArrayList<>(Math.min(batchMax, waiting.size()));
    while (batch.size() < batchMax && !waiting.isEmpty()) {
      batch.add(waiting.removeFirst());
    }
    return batch;
  }

  private static <I, O> void tell(
      List<Entry<I, O>> batch, @Nullable List<O> outputs, @Nullable Throwable error) {
    if (outputs == null || outputs.size() != batch.size()) {
      Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
      Throwable told =
          cause == null ? new IllegalStateException("a call was not answered for all") : cause;
      batch.forEach(entry -> entry.output.completeExceptionally(told));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).output.complete(outputs.get(i));
    }
  }
}
