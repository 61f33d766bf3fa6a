package io.convoke.simulator.webhook;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The deliveries of one room, one after the other, with a siding for those that let others pass.
 */
final class RoomDeliveryQueue {

  private final Executor threads;
  private final List<Runnable> siding = new ArrayList<>();
  private CompletableFuture<?> tail = CompletableFuture.completedFuture(true);

  RoomDeliveryQueue(Executor threads) {
    this.threads = threads;
  }

  /** Queues a delivery, followed by those that were held back. */
  synchronized void submit(Runnable delivery) {
    append(delivery);
    siding.forEach(this::append);
    siding.clear();
  }

  /** Holds a delivery back until the next one has been sent. */
  synchronized void holdBack(Runnable delivery) {
    siding.add(delivery);
  }

  /** Queues a delivery that is still held back; otherwise has no effect. */
  synchronized void release(Runnable delivery) {
    if (siding.remove(delivery)) {
      append(delivery);
    }
  }

  private void append(Runnable delivery) {
    tail = tail.handleAsync((done, failed) -> run(delivery), threads);
  }

  private static boolean run(Runnable delivery) {
    delivery.run();
    return true;
  }
}
