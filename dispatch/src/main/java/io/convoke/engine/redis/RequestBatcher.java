package io.convoke.engine.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
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
public final class RequestBatcher<I, O> {
  /** Sends a batch and answers for each input, in their order. */
  @FunctionalInterface
  public interface BatchSender<I, O> {
    CompletionStage<List<O>> send(List<I> inputs);
  }

  private record BatchedRequest<I, O>(I input, CompletableFuture<O> output) {}

  private final int batchMax;
  private final int callsMax;
  private final BatchSender<I, O> batchSender;

  /** Guards the fields below; never held while a batch is sent or callers are completed. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Deque<BatchedRequest<I, O>> waiting = new ArrayDeque<>();
  private int calls;

  /**
   * A gathering point.
   *
   * @param batchMax inputs of one call
   * @param callsMax calls on their way at the same time
   */
  public RequestBatcher(int batchMax, int callsMax, BatchSender<I, O> batchSender) {
    this.batchMax = batchMax;
    this.callsMax = callsMax;
    this.batchSender = batchSender;
  }

  /**
   * Waits for the answer for this input.
   *
   * @throws RedisUnavailable when Redis is away, or the caller is interrupted
   */
  public O submit(I input) {
    return Redis.await(begin(input));
  }

  /** The same without waiting. */
  public CompletableFuture<O> begin(I input) {
    BatchedRequest<I, O> batchedRequest = new BatchedRequest<>(input, new CompletableFuture<>());
    List<BatchedRequest<I, O>> batch;
    lock.lock();
    try {
      waiting.addLast(batchedRequest);
      if (calls == callsMax) {
        return batchedRequest.output;
      }
      calls++;
      batch = take();
    } finally {
      lock.unlock();
    }
    send(batch);
    return batchedRequest.output;
  }

  private void send(List<BatchedRequest<I, O>> batch) {
    CompletionStage<List<O>> sent;
    try {
      sent = batchSender.send(batch.stream().map(BatchedRequest::input).toList());
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
    List<BatchedRequest<I, O>> batch;
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

  private List<BatchedRequest<I, O>> take() {
    List<BatchedRequest<I, O>> batch = new ArrayList<>(Math.min(batchMax, waiting.size()));
    while (batch.size() < batchMax && !waiting.isEmpty()) {
      batch.add(waiting.removeFirst());
    }
    return batch;
  }

  private static <I, O> void tell(
      List<BatchedRequest<I, O>> batch, @Nullable List<O> outputs, @Nullable Throwable error) {
    if (outputs == null || outputs.size() != batch.size()) {
      Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
      Throwable told =
          cause == null ? new IllegalStateException("a call was not answered for all") : cause;
      batch.forEach(batchedRequest -> batchedRequest.output.completeExceptionally(told));
      return;
    }
    Iterator<O> answers = outputs.iterator();
    batch.forEach(batchedRequest -> batchedRequest.output.complete(answers.next()));
  }
}
