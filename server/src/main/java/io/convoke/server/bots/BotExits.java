package io.convoke.server.bots;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for bots that leave by themselves, by what the launcher reports. */
final class BotExits {
  private final Map<String, CountDownLatch> awaited = new ConcurrentHashMap<>();

  /** The launcher reported the exit of the bot with this container name. */
  void exited(String containerName) {
    CountDownLatch latch = awaited.get(containerName);
    if (latch != null) {
      latch.countDown();
    }
  }

  /**
   * Waits until the exit of a bot is reported, or for so long.
   *
   * @param tell tells the bot to leave; false if it cannot be told, so that waiting is of no use
   */
  void await(String containerName, Duration atMost, BooleanSupplier tell)
      throws InterruptedException {
    CountDownLatch latch = awaited.computeIfAbsent(containerName, _ -> new CountDownLatch(1));
    try {
      if (tell.getAsBoolean()) {
        boolean _ = latch.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
      }
    } finally {
      var _ = awaited.remove(containerName, latch);
    }
  }
}
