package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.ParticipantEvent.ParticipantJoined;
import io.convoke.agent.ParticipantEvent.ParticipantLeft;
import io.convoke.agent.ParticipantEvent.ParticipantSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The rules for being alone, at given times. */
class LeaveRuleMonitorTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private final LeaveRuleMonitor rules = new LeaveRuleMonitor(AutomaticLeave.DEFAULT, "us", 0);

  private static Attendee person(String id) {
    return new Attendee(id, Optional.empty(), Optional.empty(), Instant.EPOCH);
  }

  @Test
  void aloneFromTheBeginningItWaitsForOthers() {
    assertThat(rules.see(new ParticipantJoined(person("us")), 0)).isFalse();
    assertThat(rules.reason(2 * MINUTE - 1)).isEmpty();
    assertThat(rules.until(0)).isGreaterThanOrEqualTo(Duration.ofMinutes(2));
    assertThat(rules.reason(2 * MINUTE)).contains("no_one_joined");
  }

  @Test
  void afterTheLastOtherPersonItWaitsForOneThatComesBack() {
    assertThat(rules.see(new ParticipantJoined(person("ada")), 0)).isTrue();
    assertThat(rules.see(new ParticipantJoined(person("ada")), 0)).isFalse();
    assertThat(rules.others()).isEqualTo(1);
    assertThat(rules.reason(9 * MINUTE)).isEmpty();
    assertThat(rules.see(new ParticipantLeft("ada", Instant.EPOCH), 10 * MINUTE)).isTrue();
    assertThat(rules.see(new ParticipantLeft("ada", Instant.EPOCH), 11 * MINUTE)).isFalse();
    assertThat(rules.reason(11 * MINUTE - 1)).isEmpty();
    assertThat(rules.reason(11 * MINUTE)).contains("everyone_left");
    assertThat(rules.see(new ParticipantJoined(person("ben")), 11 * MINUTE)).isTrue();
    assertThat(rules.reason(20 * MINUTE)).isEmpty();
  }

  @Test
  void aListReplacesWhatWasKnown() {
    assertThat(rules.see(new ParticipantJoined(person("ada")), 0)).isTrue();
    assertThat(rules.see(new ParticipantSnapshot(List.of(person("us")), Instant.EPOCH), 3 * MINUTE))
        .isTrue();
    assertThat(rules.others()).isZero();
    assertThat(rules.reason(4 * MINUTE)).contains("everyone_left");
    List<Attendee> both = List.of(person("us"), person("ben"));
    assertThat(rules.see(new ParticipantSnapshot(both, Instant.EPOCH), 5 * MINUTE)).isTrue();
    assertThat(rules.others()).isEqualTo(1);
    assertThat(rules.reason(9 * MINUTE)).isEmpty();
  }

  @Test
  void untilARuleAppliesItsTimeRunsDown() {
    Duration afterwards = Duration.ofMillis(1);
    assertThat(rules.until(0)).isEqualTo(Duration.ofMinutes(2).plus(afterwards));
    assertThat(rules.until(MINUTE)).isEqualTo(Duration.ofMinutes(1).plus(afterwards));
    assertThat(rules.until(3 * MINUTE)).isEqualTo(afterwards);
    assertThat(rules.see(new ParticipantJoined(person("ada")), 3 * MINUTE)).isTrue();
    assertThat(rules.until(3 * MINUTE)).isEqualTo(Duration.ofMinutes(1));
    assertThat(rules.see(new ParticipantLeft("ada", Instant.EPOCH), 4 * MINUTE)).isTrue();
    assertThat(rules.until(4 * MINUTE + 1))
        .isEqualTo(Duration.ofMinutes(1).minusNanos(1).plus(afterwards));
  }
}
