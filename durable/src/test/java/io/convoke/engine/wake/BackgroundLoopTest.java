package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A background loop ends with its close alone. */
class BackgroundLoopTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final TestSignal<Integer> turns = new TestSignal<>();
  private final AtomicInteger count = new AtomicInteger();

  @Test
  void aTaskThatFailsIsStartedAgain() {
    try (var seen = turns.observe();
        BackgroundLoop task =
            BackgroundLoop.start(
                "fails twice",
                () -> {
                  int turn = count.incrementAndGet();
                  turns.emit(turn);
                  switch (turn) {
                    case 1 -> throw new IllegalStateException("on purpose");
                    case 2 -> throw new AssertionError("an error, too");
                    default -> new CountDownLatch(1).await();
                  }
                })) {
      assertThat(seen.await(turn -> turn == 3, LONG)).isEqualTo(3);
      assertThat(task.restarts()).isEqualTo(2);
      assertThat(task.alive()).isTrue();
    }
  }

  @Test
  void anInterruptThatIsNotACloseDoesNotEndIt() {
    try (var seen = turns.observe();
        BackgroundLoop task =
            BackgroundLoop.start(
                "interrupts itself",
                () -> {
                  int turn = count.incrementAndGet();
                  turns.emit(turn);
                  if (turn == 1) {
                    throw new InterruptedException("by a stranger");
                  }
                  new CountDownLatch(1).await();
                })) {
      assertThat(seen.await(turn -> turn == 2, LONG)).isEqualTo(2);
      assertThat(task.restarts()).isZero();
    }
  }

  @Test
  void closingEndsItAndWaits() {
    var seen = turns.observe();
    BackgroundLoop task =
        BackgroundLoop.start(
            "waits",
            () -> {
              turns.emit(count.incrementAndGet());
              new CountDownLatch(1).await();
            });
    assertThat(seen.await(LONG)).isOne();
    task.close();
    assertThat(task.alive()).isFalse();
    seen.close();
  }
}
