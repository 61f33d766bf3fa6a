package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.control.Truth;
import io.convoke.lab.sim.script.OfficeDay;
import io.convoke.lab.sim.script.RandomScenario;
import io.convoke.lab.sim.script.Scenario;
import io.convoke.lab.sim.script.Scenarios;
import io.convoke.lab.sim.time.SteppedTime;
import io.convoke.lab.sim.world.Meeting;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Scripts acted out: the same seed gives the same truth, and everything comes to an end. */
final class ScriptedSimulationTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  @Test
  void theSameSeedGivesTheSameTruth() {
    Truth first = played(RandomScenario.of(11, 4, Duration.ofMinutes(20)));
    Truth again = played(RandomScenario.of(11, 4, Duration.ofMinutes(20)));
    Truth other = played(RandomScenario.of(12, 4, Duration.ofMinutes(20)));

    assertThat(again.meetings()).isEqualTo(first.meetings());
    assertThat(again.webhooks().stream().map(d -> d.envelope().id()))
        .containsExactlyElementsOf(first.webhooks().stream().map(d -> d.envelope().id()).toList());
    assertThat(other.sessions()).isNotEqualTo(first.sessions());
  }

  @Test
  void randomScenariosAreHardAndComeToAnEnd() {
    int tabs = 0;
    int rejoined = 0;
    int nameless = 0;
    int hidden = 0;
    int brief = 0;
    for (long seed = 1; seed <= 30; seed++) {
      Truth truth = played(RandomScenario.of(seed, 3, Duration.ofMinutes(10)));
      assertThat(truth.sessions()).as("seed " + seed).allMatch(s -> s.leftAt().isPresent());
      assertThat(truth.meetings()).as("seed " + seed).noneMatch(Meeting::ongoing);
      assertThat(truth.sessions()).extracting(Session::sessionId).doesNotHaveDuplicates();
      for (Session session : truth.sessions()) {
        List<Session> same =
            truth.sessions().stream()
                .filter(s -> !s.sessionId().equals(session.sessionId()))
                .filter(s -> s.meetingId().equals(session.meetingId()))
                .filter(s -> s.visitor().equals(session.visitor()))
                .toList();
        tabs += same.stream().anyMatch(s -> s.presentAt(session.joinedAt())) ? 1 : 0;
        rejoined += same.isEmpty() ? 0 : 1;
        nameless += session.visitor().userName().isEmpty() ? 1 : 0;
        hidden += session.visitor().hasPresence() ? 0 : 1;
        brief += session.duration(truth.at()).toSeconds() < 10 ? 1 : 0;
      }
    }
    assertThat(List.of(tabs, rejoined, nameless, hidden, brief)).allMatch(count -> count > 10);
  }

  @Test
  void theMorningIsActedOut() {
    Truth truth = played(Scenarios.morning());

    assertThat(truth.meetings())
        .extracting(Meeting::room)
        .containsExactly("stand-up", "northwind", "design-review", "interview", "all-hands");
    assertThat(truth.meetings()).noneMatch(Meeting::ongoing);
    assertThat(truth.sessions()).noneMatch(s -> s.leftAt().isEmpty());
    Recording recording = truth.recordings().getFirst();
    assertThat(recording.status()).isEqualTo(Recording.Status.FINISHED);
    assertThat(recording.duration(NINE)).isEqualTo(Duration.ofMinutes(20));
    assertThat(recording.lines()).hasSize(13);
    assertThat(recording.speakers()).contains("Elena Rossi", "Henrik Larsen");
  }

  @Test
  void theOfficeNeverRunsOutOfMeetings() {
    SteppedTime time = new SteppedTime(NINE);
    try (Simulator sim = Simulator.start(SimulatorOptions.defaults().withTime(time))) {
      sim.playForever("office", new OfficeDay(3));
      time.advance(Duration.ofMinutes(20));
      for (int hour = 0; hour < 6; hour++) {
        time.advance(Duration.ofHours(1));
        assertThat(sim.upcoming()).hasSize(8);
        long busy =
            sim.world().look().stream().filter(view -> view.meetingId().isPresent()).count();
        assertThat(busy).isBetween(1L, 8L);
        assertThat(sim.world().look()).hasSizeLessThan(80);
      }
      assertThat(sim.world().look().stream().map(RoomView::present).mapToLong(List::size).sum())
          .isPositive();
    }
  }

  @Test
  void speedMakesAScriptShort() throws TimeoutException {
    Scenario scenario = RandomScenario.of(2, 2, Duration.ofMinutes(10));
    try (Simulator sim = Simulator.start(SimulatorOptions.defaults().withSpeed(1_000))) {
      Instant start = sim.time().instant();
      sim.play(scenario);
      int meetings = played(scenario).meetings().size();
      sim.awaitWebhook(
          d -> sim.truth().meetings().stream().filter(m -> !m.ongoing()).count() == meetings,
          Duration.ofSeconds(20));
      assertThat(Duration.between(start, sim.time().instant())).isLessThan(Duration.ofSeconds(20));
      assertThat(sim.truth().sessions())
          .allSatisfy(s -> assertThat(s.duration(start)).isLessThan(Duration.ofSeconds(2)));
    }
  }

  @Test
  void idsDifferFromRunToRunAndLabelsDoNot() {
    Truth first = played(RandomScenario.of(11, 2, Duration.ofMinutes(5)), NINE);
    Truth later = played(RandomScenario.of(11, 2, Duration.ofMinutes(5)), NINE.plusSeconds(60));
    assertThat(labels(later)).isEqualTo(labels(first));
    assertThat(later.sessions())
        .extracting(Session::sessionId)
        .doesNotContainAnyElementsOf(first.sessions().stream().map(Session::sessionId).toList());
  }

  private static List<String> labels(Truth truth) {
    return truth.sessions().stream().map(Session::label).collect(Collectors.toList());
  }

  private static Truth played(Scenario scenario) {
    return played(scenario, NINE);
  }

  private static Truth played(Scenario scenario, Instant start) {
    SteppedTime time = new SteppedTime(start);
    try (Simulator sim = Simulator.start(SimulatorOptions.defaults().withTime(time))) {
      sim.play(scenario);
      time.advance(scenario.length().plus(Duration.ofMinutes(2)));
      return sim.truth();
    }
  }
}
