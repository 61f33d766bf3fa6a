package io.convoke.engine.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cron expressions mean, where clocks are put forward and back too. */
class CronTicksTest {
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final ZoneId UTC = ZoneId.of("UTC");

  @Test
  void fiveFieldsSixFieldsAndNames() {
    assertThat(ticks("30 2 * * 1-5", UTC, "2026-11-20T03:00:00Z", 2))
        .containsExactly("2026-11-23T02:30:00Z", "2026-11-24T02:30:00Z");
    assertThat(ticks("*/20 * * * * *", UTC, "2026-11-22T10:00:00Z", 3))
        .containsExactly("2026-11-22T10:00:20Z", "2026-11-22T10:00:40Z", "2026-11-22T10:01:00Z");
    assertThat(ticks("@daily", UTC, "2026-11-22T10:00:00Z", 1))
        .containsExactly("2026-11-23T00:00:00Z");
  }

  @Test
  void theZonesClockCounts() {
    assertThat(ticks("0 9 * * *", BERLIN, "2026-03-28T00:00:00Z", 2))
        .containsExactly("2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z");
  }

  /** In Berlin it is never half past two on 29 March 2026. */
  @Test
  void aTickInTheGapOfSpringComesWhenItIsOver() {
    assertThat(ticks("30 2 * * *", BERLIN, "2026-03-28T12:00:00Z", 2))
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
  }

  /** On 25 October 2026 it is half past two twice. */
  @Test
  void aTickInTheDoubledHourOfAutumnComesOnce() {
    assertThat(ticks("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2))
        .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
  }

  /** 180 ticks have been in the hour that comes again. */
  @ParameterizedTest
  @ValueSource(strings = {"2026-10-25T00:59:40Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"})
  void noTickOfTheDoubledHourComesAgainHoweverManyThereAre(String from) {
    assertThat(ticks("*/20 * 2 * * *", BERLIN, from, 1)).containsExactly("2026-10-26T01:00:00Z");
  }

  @Test
  void aTickMayBeEightYearsAway() {
    assertThat(ticks("0 0 29 2 *", BERLIN, "2096-03-01T00:00:00Z", 1))
        .containsExactly("2104-02-28T23:00:00Z");
  }

  @Test
  void everyHourIsEveryHourOfTheDay() {
    assertThat(ticks("0 * * * *", BERLIN, "2026-10-24T23:30:00Z", 4))
        .containsExactly(
            "2026-10-25T00:00:00Z",
            "2026-10-25T01:00:00Z",
            "2026-10-25T02:00:00Z",
            "2026-10-25T03:00:00Z");
  }

  @Test
  void halfPastEveryHourIsNotCrowdedAfterTheGap() {
    assertThat(ticks("30 * * * *", BERLIN, "2026-03-29T00:00:00Z", 3))
        .containsExactly("2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z");
  }

  @Test
  void aTickIsAWholeSecond() {
    assertThat(ticks("* * * * * *", UTC, "2026-11-22T10:00:00.250Z", 2))
        .containsExactly("2026-11-22T10:00:01Z", "2026-11-22T10:00:02Z");
  }

  @Test
  void whatNeverComesHasNoTick() {
    assertThat(CronTicks.of("0 0 30 2 *", UTC).after(Instant.parse("2026-11-22T00:00:00Z")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "61 * * * *", "every day", "* * * *", "0 0 * * * * *", "@often"})
  void nonsenseIsNamed(String nonsense) {
    assertThatThrownBy(() -> CronTicks.of(nonsense, UTC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("not a cron expression: \"" + nonsense + "\"");
  }

  private static List<String> ticks(String cron, ZoneId zone, String from, int count) {
    CronTicks cronTicks = CronTicks.of(cron, zone);
    List<String> found = new ArrayList<>();
    Instant at = Instant.parse(from);
    for (int i = 0; i < count; i++) {
      at = cronTicks.after(at).orElseThrow();
      found.add(at.toString());
    }
    return found;
  }
}
