package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Announcements are instants of the store, whatever the clock of the machine says. */
class QueueSignalsTest {
  private static final Duration GRACE = Duration.ofMillis(50);
  private static final Instant STORE = Instant.parse("2026-01-01T00:00:00Z");

  private final List<Long> timers = new ArrayList<>();

  @Test
  void aMachineWhoseClockIsWrongNeitherParksWorkNorWakesEarly() {
    for (Duration skew : List.of(Duration.ofSeconds(5), Duration.ofSeconds(-5), Duration.ZERO)) {
      QueueSignals signals = signalsOn(STORE.plus(skew));
      signals.announce(STORE);
      assertThat(timers).as("a timer for what is there, skew %s", skew).isEmpty();
      assertThat(signals.channel().pending()).isOne();
      signals.announce(STORE.plusSeconds(10));
      assertThat(signals.channel().pending()).as("a token too early, skew %s", skew).isOne();
      assertThat(Duration.ofNanos(timers.removeFirst() - System.nanoTime()))
          .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10).minus(GRACE));
    }
  }

  @Test
  void anAnnouncementBelowTheWatermarkLowersIt() {
    QueueSignals signals = signalsOn(STORE);
    Instant _ = signals.watermark().begin();
    signals.watermark().read(STORE.plusSeconds(5));
    signals.next(STORE.plusSeconds(3));
    assertThat(signals.watermark().begin())
        .as("claims reach it anyway")
        .isEqualTo(STORE.plusSeconds(5));
    signals.announce(STORE.plusSeconds(4));
    assertThat(signals.watermark().begin()).isEqualTo(STORE.plusSeconds(4));
    signals.pollAgain();
    assertThat(signals.watermark().begin()).isEqualTo(Instant.MIN);
  }

  private QueueSignals signalsOn(Instant machine) {
    StoreClock clock = new StoreClock(machine);
    clock.answered(STORE);
    return new QueueSignals(clock, GRACE, timers::add);
  }
}
