package io.convoke.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PeriodicTaskTest {
  private static final Duration NEVER = Duration.ofHours(1);

  private final BlockingQueue<Integer> rounds = new LinkedBlockingQueue<>();
  private final AtomicInteger number = new AtomicInteger();

  @Test
  void aRoundThatFailsIsRetried() throws InterruptedException {
    try (PeriodicTask task = new PeriodicTask("test", Duration.ofMillis(1), this::failTwice)) {
      task.start();
      assertThat(next()).isEqualTo(1);
      assertThat(next()).isEqualTo(2);
      assertThat(next()).isEqualTo(3);
      assertThat(rounds.poll(50, TimeUnit.MILLISECONDS)).as("the third succeeded").isNull();
    }
  }

  @Test
  void aWakeEndsTheWaitAndIsNotLostDuringARound() throws InterruptedException {
    try (PeriodicTask task = new PeriodicTask("test", NEVER, this::succeed)) {
      task.startAfter(NEVER);
      task.wake();
      assertThat(next()).isEqualTo(1);
      task.wake();
      assertThat(next()).isEqualTo(2);
    }
  }

  @Test
  void aClosedTaskRunsNoFurtherRound() throws InterruptedException {
    PeriodicTask task = new PeriodicTask("test", NEVER, this::succeed);
    task.start();
    assertThat(next()).isEqualTo(1);
    task.close();
    task.wake();
    assertThat(rounds.poll(50, TimeUnit.MILLISECONDS)).isNull();
    assertThat(task.closed()).isTrue();
  }

  private int next() throws InterruptedException {
    return Objects.requireNonNull(rounds.poll(10, TimeUnit.SECONDS), "no round within 10 s");
  }

  private Duration succeed() {
    rounds.add(number.incrementAndGet());
    return NEVER;
  }

  private Duration failTwice() {
    int round = number.incrementAndGet();
    rounds.add(round);
    return switch (round) {
      case 1 -> throw new StoreUnavailable("the store is unreachable");
      case 2 -> throw new AssertionError("a bug");
      default -> NEVER;
    };
  }
}
