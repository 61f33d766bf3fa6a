package io.convoke.chaos.durable.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.chaos.kernel.RuleViolation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rules of schedules, each with a history that violates it. */
final class ScheduleRulesTest {
  private static final Instant T = Instant.parse("2026-01-01T10:00:00Z");

  private final List<EventRow> events = new ArrayList<>();
  private FlowHistory.FlowEvidence evidence = FlowHistory.FlowEvidence.NONE;

  @Test
  void aRunForATickThatWasMissedBeforeTheLastRunIsFound() {
    assertThat(ticks(0, 100)).isEmpty();
    assertThat(ticks(0, 100, 1000, 1010, 2000, 2900)).isEmpty();
    assertThat(ticks(0, 3800, 4000, 4010)).isEmpty();
    assertThat(ticks(0, 3800, 1000, 3900))
        .singleElement()
        .asString()
        .contains("s made up for the tick of 2026-01-01T10:00:01Z");
  }

  /** The violations of runs, each with its tick and its start. */
  private List<String> ticks(long... millis) {
    List<EventRow> runs = new ArrayList<>();
    for (int i = 0; i < millis.length; i += 2) {
      runs.add(
          new EventRow(
              "s@" + at(millis[i]),
              1,
              1,
              "Started",
              at(millis[i + 1]),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
    }
    events.addAll(runs);
    List<String> found = found("MissedTickRule");
    events.removeAll(runs);
    return found;
  }

  @Test
  void aRunThatBeginsBeforeTheLastHasEndedIsFound() {
    scheduled(1000, 1100, 2900);
    scheduled(2000, 2900, 3000);
    assertThat(found("RunOverlapRule")).isEmpty();
    scheduled(3000, 2999, 3100);
    assertThat(found("RunOverlapRule"))
        .singleElement()
        .asString()
        .contains("began at 2026-01-01T10:00:02.999Z, and s@2026-01-01T10:00:02Z ended at");
  }

  @Test
  void aLastRunThatIsShownOtherwiseOrNotAtAllIsFound() {
    for (long at = 1000; at < 6000; at += 1000) {
      scheduled(at, at, at + 10);
    }
    shown("s s@%s completed".formatted(at(2000)));
    assertThat(found("LastRunRule")).isEmpty();
    shown("s s@%s completed".formatted(at(1000)));
    assertThat(found("LastRunRule")).singleElement().asString().contains("does not show");
    shown("s s@%s failed".formatted(at(2000)));
    assertThat(found("LastRunRule")).singleElement().asString().contains("shows a last run");
    shown("s s@%s completed".formatted(at(7000)));
    assertThat(found("LastRunRule")).hasSize(1);
  }

  private void shown(String text) {
    evidence = TestEvidence.lastRun(text);
  }

  /** A run with its tick, its start and its end. */
  private void scheduled(long tick, long start, long end) {
    for (String type : List.of("Started", "WorkflowCompleted")) {
      long ms = type.equals("Started") ? start : end;
      events.add(
          new EventRow(
              "s@" + at(tick),
              1,
              1,
              type,
              at(ms),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()));
    }
  }

  private List<String> found(String rule) {
    FlowHistory history =
        new FlowHistory(
            List.of(),
            Set.of(),
            Set.of(),
            List.of(),
            List.of(),
            events,
            List.of(),
            Map.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Duration.ofSeconds(1),
            Duration.ofMillis(3500),
            evidence);
    return FlowChecker.check(history).stream()
        .filter(it -> it.rule().equals(rule))
        .map(RuleViolation::text)
        .toList();
  }

  private static Instant at(long ms) {
    return T.plusMillis(ms);
  }
}
