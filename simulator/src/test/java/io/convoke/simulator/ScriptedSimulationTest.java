package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.control.SimulationTruth;
import io.convoke.simulator.script.OfficeDayGenerator;
import io.convoke.simulator.script.RandomScenarioGenerator;
import io.convoke.simulator.script.ScenarioLoader;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.Meeting;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Scripts played out: the same seed gives the same state, and every script ends. */
final class ScriptedSimulationTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  @Test
  void theSameSeedGivesTheSameState() {
    SimulationTruth first = played(RandomScenarioGenerator.of(11, 4, Duration.ofMinutes(20)));
    SimulationTruth again = played(RandomScenarioGenerator.of(11, 4, Duration.ofMinutes(20)));
    SimulationTruth other = played(RandomScenarioGenerator.of(12, 4, Duration.ofMinutes(20)));

    assertThat(again.meetings()).isEqualTo(first.meetings());
    assertThat(again.webhooks().stream().map(d -> d.envelope().id()))
        .containsExactlyElementsOf(first.webhooks().stream().map(d -> d.envelope().id()).toList());
    assertThat(other.sessions()).isNotEqualTo(first.sessions());
  }

  @Test
  void randomScenariosAreHardAndEnd() {
    int tabs = 0;
    int rejoined = 0;
    int nameless = 0;
    int hidden = 0;
    int brief = 0;
    for (long seed = 1; seed <= 30; seed++) {
      SimulationTruth simulationTruth =
          played(RandomScenarioGenerator.of(seed, 3, Duration.ofMinutes(10)));
      assertThat(simulationTruth.sessions())
          .as("seed " + seed)
          .allMatch(s -> s.leftAt().isPresent());
      assertThat(simulationTruth.meetings()).as("seed " + seed).noneMatch(Meeting::ongoing);
      assertThat(simulationTruth.sessions())
          .extracting(RoomSession::sessionId)
          .doesNotHaveDuplicates();
      for (RoomSession roomSession : simulationTruth.sessions()) {
        List<RoomSession> same =
            simulationTruth.sessions().stream()
                .filter(s -> !s.sessionId().equals(roomSession.sessionId()))
                .filter(s -> s.meetingId().equals(roomSession.meetingId()))
                .filter(s -> s.visitor().equals(roomSession.visitor()))
                .toList();
        tabs += same.stream().anyMatch(s -> s.presentAt(roomSession.joinedAt())) ? 1 : 0;
        rejoined += same.isEmpty() ? 0 : 1;
        nameless += roomSession.visitor().userName().isEmpty() ? 1 : 0;
        hidden += roomSession.visitor().hasPresence() ? 0 : 1;
        brief += roomSession.duration(simulationTruth.at()).toSeconds() < 10 ? 1 : 0;
      }
    }
    assertThat(List.of(tabs, rejoined, nameless, hidden, brief)).allMatch(count -> count > 10);
  }

  @Test
  void theMorningIsActedOut() {
    SimulationTruth simulationTruth = played(ScenarioLoader.morning());

    assertThat(simulationTruth.meetings())
        .extracting(Meeting::room)
        .containsExactly("stand-up", "northwind", "design-review", "interview", "all-hands");
    assertThat(simulationTruth.meetings()).noneMatch(Meeting::ongoing);
    assertThat(simulationTruth.sessions()).noneMatch(s -> s.leftAt().isEmpty());
    Recording recording = simulationTruth.recordings().getFirst();
    assertThat(recording.status()).isEqualTo(Recording.RecordingStatus.FINISHED);
    assertThat(recording.duration(NINE)).isEqualTo(Duration.ofMinutes(20));
    assertThat(recording.lines()).hasSize(13);
    assertThat(recording.speakers()).contains("Elena Rossi", "Henrik Larsen");
  }

  @Test
  void theOfficeNeverRunsOutOfMeetings() {
    ManualClock time = new ManualClock(NINE);
    try (Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time))) {
      sim.playForever("office", new OfficeDayGenerator(3));
      time.advance(Duration.ofMinutes(20));
      for (int hour = 0; hour < 6; hour++) {
        time.advance(Duration.ofHours(1));
        assertThat(sim.upcoming()).hasSize(8);
        long busy =
            sim.world().roomViews().stream().filter(view -> view.meetingId().isPresent()).count();
        assertThat(busy).isBetween(1L, 8L);
        assertThat(sim.world().roomViews()).hasSizeLessThan(80);
      }
      assertThat(
              sim.world().roomViews().stream().map(RoomView::present).mapToLong(List::size).sum())
          .isPositive();
    }
  }

  @Test
  void speedMakesAScriptShort() throws TimeoutException {
    SimulationScript simulationScript = RandomScenarioGenerator.of(2, 2, Duration.ofMinutes(10));
    try (Simulator sim = Simulator.start(SimulatorConfig.defaults().withSpeed(1_000))) {
      Instant start = sim.time().instant();
      sim.play(simulationScript);
      // A busy machine is late by seconds of the script, in which two meetings may become one.
      int sessions = played(simulationScript).sessions().size();
      sim.awaitWebhook(
          d ->
              sim.truth().sessions().size() == sessions
                  && sim.truth().meetings().stream().noneMatch(Meeting::ongoing),
          Duration.ofSeconds(20));
      assertThat(Duration.between(start, sim.time().instant())).isLessThan(Duration.ofSeconds(20));
      assertThat(sim.truth().sessions())
          .allSatisfy(s -> assertThat(s.duration(start)).isLessThan(Duration.ofSeconds(2)));
    }
  }

  @Test
  void idsDifferFromRunToRunAndLabelsDoNot() {
    SimulationTruth first = played(RandomScenarioGenerator.of(11, 2, Duration.ofMinutes(5)), NINE);
    SimulationTruth later =
        played(RandomScenarioGenerator.of(11, 2, Duration.ofMinutes(5)), NINE.plusSeconds(60));
    assertThat(labels(later)).isEqualTo(labels(first));
    assertThat(later.sessions())
        .extracting(RoomSession::sessionId)
        .doesNotContainAnyElementsOf(
            first.sessions().stream().map(RoomSession::sessionId).toList());
  }

  private static List<String> labels(SimulationTruth simulationTruth) {
    return simulationTruth.sessions().stream().map(RoomSession::label).collect(Collectors.toList());
  }

  private static SimulationTruth played(SimulationScript simulationScript) {
    return played(simulationScript, NINE);
  }

  private static SimulationTruth played(SimulationScript simulationScript, Instant start) {
    ManualClock time = new ManualClock(start);
    try (Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time))) {
      sim.play(simulationScript);
      time.advance(simulationScript.length().plus(Duration.ofMinutes(2)));
      return sim.truth();
    }
  }
}
