package io.convoke.server.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long scrapes wait for a reading, and how often one is made. */
@Timeout(30)
class GaugeReadingTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final AtomicInteger reads = new AtomicInteger();
  private final Semaphore answers = new Semaphore(0);

  @Test
  void scrapesDoNotWaitLongAndShowTheReadingBefore() {
    GaugeReading<Integer> reading =
        new GaugeReading<>("test", Duration.ZERO, 1, SHORT, this::answered);
    assertThat(value(reading)).isNaN();
    assertThat(value(reading)).isNaN();
    while (reads.get() == 0) {
      Thread.onSpinWait();
    }
    assertThat(reads).as("readings on their way").hasValue(1);
    answers.release();
    while (Double.isNaN(value(reading))) {
      Thread.onSpinWait();
    }
    while (reads.get() < 2) {
      assertThat(value(reading)).isEqualTo(1);
    }
    assertThat(value(reading)).as("while the second is on its way").isEqualTo(1);
    answers.release();
  }

  @Test
  void aReadingThatFailedServesAllGauges() {
    GaugeReading<Integer> reading = new GaugeReading<>("test", LONG, 1, LONG, this::refused);
    assertThat(value(reading)).isNaN();
    assertThat(value(reading)).isNaN();
    assertThat(reads).hasValue(1);
  }

  @Test
  void nothingIsKnownAfterAReadingThatFailed() {
    GaugeReading<Integer> reading =
        new GaugeReading<>(
            "test", Duration.ZERO, 0, LONG, () -> reads.get() == 0 ? counted() : refused());
    assertThat(value(reading)).isEqualTo(1);
    assertThat(value(reading)).isNaN();
  }

  private static double value(GaugeReading<Integer> reading) {
    return reading.of(it -> it);
  }

  private int counted() {
    return reads.incrementAndGet();
  }

  private int answered() {
    int number = counted();
    answers.acquireUninterruptibly();
    return number;
  }

  private int refused() {
    throw new StoreUnavailable("reading " + counted() + " failed");
  }
}
