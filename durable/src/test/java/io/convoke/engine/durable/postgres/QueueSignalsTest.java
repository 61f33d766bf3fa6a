package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Flaw 7: announcements are instants of the store, whatever the clock of the machine says. */
class QueueSignalsTest {
  private static final Duration GRACE = Duration.ofMillis(50);
  private static final Instant STORE = Instant.parse("2026-01-01T00:00:00Z");

  private final List<Long> timers = new ArrayList<>();

  @Test
  void aMachineWhoseClockIsWrongNeitherParksWorkNorWakesEarly() {
    for (Duration skew : List.of(Duration.ofSeconds(5), Duration.ofSeconds(-5), Duration.ZERO)) {
      QueueSignals wake = wakeOn(STORE.plus(skew));
      wake.announce(STORE);
      assertThat(timers).as("a timer for what is there, skew %s", skew).isEmpty();
      assertThat(wake.channel().pending()).isOne();
      wake.announce(STORE.plusSeconds(10));
      assertThat(wake.channel().pending()).as("a token too early, skew %s", skew).isOne();
      assertThat(Duration.ofNanos(timers.removeFirst() - System.nanoTime()))
          .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10).minus(GRACE));
    }
  }

  @Test
  void whatIsAnnouncedBelowTheFloorLowersIt() {
    QueueSignals wake = wakeOn(STORE);
    Instant _ = wake.floor().begin();
    wake.floor().read(STORE.plusSeconds(5));
    wake.next(STORE.plusSeconds(3));
    assertThat(wake.floor().begin()).as("claims get there").isEqualTo(STORE.plusSeconds(5));
    wake.announce(STORE.plusSeconds(4));
    assertThat(wake.floor().begin()).isEqualTo(STORE.plusSeconds(4));
    wake.pollAgain();
    assertThat(wake.floor().begin()).isEqualTo(Instant.MIN);
  }

  private QueueSignals wakeOn(Instant machine) {
    StoreClock clock = new StoreClock(machine);
    clock.answered(STORE);
    return new QueueSignals(clock, GRACE, timers::add);
  }
}
