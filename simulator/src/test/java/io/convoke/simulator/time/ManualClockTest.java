package io.convoke.simulator.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Both clocks: the one that tests move, and the wall's with a speed. */
final class ManualClockTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  @Test
  void actionsRunInOrderAtTheirOwnInstant() {
    ManualClock time = new ManualClock(NINE);
    List<String> log = new ArrayList<>();
    time.after(Duration.ofSeconds(3), () -> log.add("c " + time.instant()));
    time.after(
        Duration.ofSeconds(1),
        () -> time.after(Duration.ofSeconds(1), () -> log.add("b " + time.instant())));
    time.after(Duration.ofSeconds(1), () -> log.add("a " + time.instant()));
    time.after(Duration.ofSeconds(2), () -> log.add("forgotten")).cancel();

    time.advance(Duration.ofSeconds(2));
    assertThat(log).containsExactly("a 2026-03-02T09:00:01Z", "b 2026-03-02T09:00:02Z");
    time.advance(Duration.ofSeconds(5));
    assertThat(log).hasSize(3).last().isEqualTo("c 2026-03-02T09:00:03Z");
    assertThat(time.instant()).isEqualTo(NINE.plusSeconds(7));
  }

  @Test
  void speedShortensScriptedSpansAndNotTheClock() throws InterruptedException {
    try (RealTimeClock time = new RealTimeClock(100)) {
      assertThat(time.scaled(Duration.ofSeconds(20))).isEqualTo(Duration.ofMillis(200));
      assertThat(Duration.between(Instant.now(), time.instant()).abs())
          .isLessThan(Duration.ofSeconds(5));
      CountDownLatch ran = new CountDownLatch(1);
      time.after(time.scaled(Duration.ofMinutes(1)), ran::countDown);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aFailingActionDoesNotStopTheClock() throws InterruptedException {
    try (RealTimeClock time = new RealTimeClock(1)) {
      CountDownLatch ran = new CountDownLatch(1);
      time.after(Duration.ZERO, () -> List.of().getFirst());
      time.after(Duration.ZERO, ran::countDown);
      assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
