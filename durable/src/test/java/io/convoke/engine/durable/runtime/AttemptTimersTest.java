package io.convoke.engine.durable.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Alarms of attempts that run, beside many that have ended. */
class AttemptTimersTest {
  private final LinkedBlockingQueue<String> rang = new LinkedBlockingQueue<>();

  @Test
  void theAlarmOfALongAttemptRingsHoweverManyShortOnesBeganBeforeIt() throws Exception {
    try (AttemptTimers alarms = new AttemptTimers()) {
      for (int i = 0; i < 150_000; i++) {
        try (AttemptTimers.WatchedAttempt attempt = alarms.begin()) {
          attempt.after(Duration.ofSeconds(1), () -> rang.add("of an attempt that has ended"));
        }
      }
      CountDownLatch rung = new CountDownLatch(1);
      try (AttemptTimers.WatchedAttempt attempt = alarms.begin()) {
        attempt.after(Duration.ofMillis(1100), rung::countDown);
        assertThat(rung.await(20, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(rang).isEmpty();
    }
  }

  @Test
  void alarmsRingInTheirOrderAndOneMaySetAnother() throws Exception {
    try (AttemptTimers alarms = new AttemptTimers();
        AttemptTimers.WatchedAttempt one = alarms.begin();
        AttemptTimers.WatchedAttempt other = alarms.begin()) {
      one.after(Duration.ofMillis(300), () -> rang.add("late"));
      other.after(
          Duration.ofMillis(20),
          () -> {
            boolean _ = rang.add("early");
            other.after(Duration.ofMillis(20), () -> rang.add("next"));
          });
      assertThat(rang.poll(20, TimeUnit.SECONDS)).isEqualTo("early");
      assertThat(rang.poll(20, TimeUnit.SECONDS)).isEqualTo("next");
      assertThat(rang.poll(20, TimeUnit.SECONDS)).isEqualTo("late");
    }
  }
}
