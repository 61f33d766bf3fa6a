package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.ClaimBuffer.BufferedItem;
import io.convoke.engine.durable.postgres.ClaimBuffer.ClaimBatch;
import io.convoke.engine.wake.WakeChain;
import io.convoke.engine.wake.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Work reaches dispatchers through the store and by handoff. Each row is written after the one
 * before was done, so no later wake-up hides a lost one.
 */
class HandOverTest {
  private static final int ROWS = 20_000;
  private static final int DISPATCHERS = 4;
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final long NEVER_USELESS = Long.MAX_VALUE / 4;

  private final ConcurrentLinkedQueue<Integer> rows = new ConcurrentLinkedQueue<>();
  private final SynchronousQueue<Integer> done = new SynchronousQueue<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final WakeChannel channel = new WakeChannel(16);
  private final WakeChain chain = new WakeChain(channel);
  private final ClaimBuffer<Integer> buffer =
      new ClaimBuffer<>(this::claim, channel, 16, () -> true, due -> {});

  @Test
  void nothingIsLeftLying() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(DISPATCHERS);
    try {
      for (int i = 0; i < DISPATCHERS; i++) {
        var _ = threads.submit(this::dispatch);
      }
      int handed = 0;
      for (int row = 0; row < ROWS; row++) {
        handed += write(row, row % 2 == 0);
        assertThat(done.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(row);
      }
      assertThat(handed).as("some went past the store").isPositive();
    } finally {
      ended.set(true);
      channel.close();
      var _ = threads.shutdownNow();
    }
  }

  private int write(int row, boolean promising) {
    int promised = promising ? buffer.promise(1) : 0;
    if (promised == 0) {
      boolean _ = rows.add(row);
      boolean _ = channel.announce();
    } else {
      buffer.hand(promised, List.of(new BufferedItem<>(row, System.nanoTime(), NEVER_USELESS)));
    }
    return promised;
  }

  private Void dispatch() throws InterruptedException {
    while (!ended.get()) {
      Optional<Integer> row = chain.fetch(() -> buffer.claim(), LONG);
      if (row.isPresent()) {
        done.put(row.get());
      }
    }
    return null;
  }

  private ClaimBatch<Integer> claim(int limit) {
    List<BufferedItem<Integer>> items = new ArrayList<>();
    for (Integer row = rows.poll(); row != null; row = items.size() < limit ? rows.poll() : null) {
      boolean _ = items.add(new BufferedItem<>(row, System.nanoTime(), NEVER_USELESS));
    }
    Thread.onSpinWait();
    return new ClaimBatch<>(items, items.size() < limit, false);
  }
}
