package io.convoke.engine.durable.postgres;

import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads that wait for a token, each for one. */
final class TokenWaiters implements AutoCloseable {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final WakeChannel channel;
  private final int count;
  private final AtomicInteger woken = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  TokenWaiters(WakeChannel channel, int count) {
    this.channel = channel;
    this.count = count;
    for (int i = 0; i < count; i++) {
      var _ = threads.submit(this::await);
    }
    while (channel.waiting() < count) {
      LockSupport.parkNanos(100_000);
    }
  }

  private Void await() throws InterruptedException {
    if (channel.await(LONG)) {
      int _ = woken.incrementAndGet();
    }
    return null;
  }

  /** The number of woken threads, once no token is left. */
  int awaitWoken() {
    while (channel.pending() > 0 || woken.get() + channel.waiting() < count) {
      LockSupport.parkNanos(100_000);
    }
    return woken.get();
  }

  @Override
  public void close() {
    channel.close();
    threads.close();
  }
}
