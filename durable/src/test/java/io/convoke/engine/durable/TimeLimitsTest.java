package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times at their limits: too short to count, and so long that they stand for no limit. */
class TimeLimitsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);
  private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.000999999S", "PT-1S"})
  void aLimitBelowAMillisecondIsRefused(String tooShort) {
    Duration limit = Duration.parse(tooShort);
    String error = "is at least 1 ms: " + limit;
    assertThatThrownBy(() -> ActivityOptions.ONCE.within(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a timeout " + error);
    assertThatThrownBy(() -> ActivityOptions.ONCE.beating(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the time between heartbeats " + error);
    assertThatThrownBy(() -> JobOptions.STANDARD.within(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a timeout " + error);
    assertThatThrownBy(() -> JobOptions.STANDARD.beating(limit))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the time between heartbeats " + error);
  }

  @Test
  void attemptsWithoutLimitsRun() throws Exception {
    ActivityOptions patiently =
        ActivityOptions.retried(new RetryPolicy(3, Duration.ofMillis(1), 2, FOR_EVER))
            .within(LONGEST)
            .beating(FOR_EVER);
    LinkedBlockingQueue<String> noted = new LinkedBlockingQueue<>();
    try (Durable engine =
        Durable.on(LocalStores.forTests().freshDatabase())
            .attemptTimeout(FOR_EVER)
            .keepEndedFor(FOR_EVER)
            .activity("greet", String.class, (context, name) -> "Hello " + name)
            .workflow(
                "hello",
                String.class,
                (context, name) ->
                    context.activity("greet", name, String.class)
                        + context.activity("greet", name, String.class, patiently))
            .job(
                "note",
                String.class,
                JobOptions.STANDARD.within(FOR_EVER).beating(FOR_EVER),
                (context, text) -> noted.add(text))
            .start()) {
      engine.start("hello", "h", "World");
      String _ = engine.enqueue("note", "text");
      assertThat(engine.await("h", String.class, SOON)).isEqualTo("Hello WorldHello World");
      assertThat(noted.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo("text");
    }
  }

  @Test
  void aTimerAndAWaitThatStandForNoLimitWait() throws Exception {
    try (Durable engine =
        Durable.on(LocalStores.forTests().freshDatabase())
            .workflow(
                "approval",
                Boolean.class,
                (context, forEver) -> {
                  Promise<String> answer = context.event("answer", String.class);
                  Promise<Instant> timeout = context.timer(forEver ? FOR_EVER : LONGEST);
                  return context.select(List.of(answer, timeout)) == 0 ? answer.get() : "late";
                })
            .start()) {
      engine.start("approval", "longest", false);
      engine.start("approval", "for ever", true);
      engine.raise("longest", "answer", "yes");
      engine.raise("for ever", "answer", "no");
      assertThat(engine.await("longest", String.class, SOON)).isEqualTo("yes");
      assertThat(engine.await("for ever", String.class, FOR_EVER)).isEqualTo("no");
    }
  }

  @Test
  void theFirstPauseIsTheOneThatWasAskedFor() {
    RetryPolicy hourly = RetryPolicy.attempts(10, Duration.ofHours(1));
    assertThat(hourly.after(1)).isEqualTo(Duration.ofHours(1));
    assertThat(hourly.after(9)).isEqualTo(Duration.ofHours(1));
    RetryPolicy quick = RetryPolicy.attempts(20, Duration.ofSeconds(1));
    assertThat(quick.after(2)).isEqualTo(Duration.ofSeconds(2));
    assertThat(quick.after(19)).isEqualTo(Duration.ofMinutes(5));
    assertThat(RetryPolicy.attempts(3, FOR_EVER).after(2)).isEqualTo(LONGEST);
  }
}
