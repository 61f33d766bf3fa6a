package io.convoke.simulator.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.Recording;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scenario files, good and bad. */
final class ScenarioReaderTest {

  @Test
  void aMeetingIsReadWithAllItsFields() {
    SimulationScript simulationScript =
        good(
            """
            name: full
            meetings:
              - room: standup
                title: Daily
                at: 1m30s
                lasts: 10m
                host_ends: true
                lobby: admit 10s
                people:
                  - {name: Ada, user_id: ada, owner: true}
                  - name: ~
                    hidden: true
                    visits: [{join: 5s, leave: 1m}, {join: 30s, leave: 2m}]
                lines:
                  - {at: 20s, who: Ada, says: Hello}
                recordings:
                  - {type: raw-tracks, from: 10s, until: 5m, outcome: error}
            """);
    ScriptedMeeting meeting = simulationScript.meetings().getFirst();
    assertThat(simulationScript.length()).isEqualTo(Duration.ofSeconds(690));
    assertThat(meeting.at()).isEqualTo(Duration.ofSeconds(90));
    assertThat(meeting.lobby()).isEqualTo(new Lobby.AdmitAfter(Duration.ofSeconds(10)));
    ScriptedMeeting.ScriptedPerson ada = meeting.people().getFirst();
    assertThat(ada.visits())
        .containsExactly(new ScriptedMeeting.ScriptedVisit(Duration.ZERO, Duration.ofMinutes(10)));
    ScriptedMeeting.ScriptedPerson guest = meeting.people().getLast();
    assertThat(guest.key()).isEqualTo("guest 2");
    assertThat(guest.visitor().userName()).isEqualTo(Optional.empty());
    assertThat(guest.visitor().hasPresence()).isFalse();
    assertThat(guest.visits()).hasSize(2);
    assertThat(meeting.tapes().getFirst().outcome()).isEqualTo(Recording.RecordingOutcome.ERROR);
  }

  @Test
  void jsonIsAsGoodAsYaml() {
    assertThat(
            good("{\"meetings\":[{\"room\":\"a\",\"lasts\":60,\"people\":[{\"name\":\"Ada\"}]}]}")
                .meetings()
                .getFirst()
                .lasts())
        .isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void everyFaultIsNamedWithItsPlace() {
    List<String> faults =
        faulty(
            """
            meetings:
              - room: "a b"
                people:
                  - {name: Ada, join: 1m, leave: 30s}
                lines: [{at: soon, who: Bob, says: Hi}]
                lobby: ajar
                recordings: [{type: vinyl, outcome: great}]
            """);
    assertThat(faults)
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].room"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].lasts"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].lobby"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].people[0]"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].lines[0].at"))
        .anySatisfy(f -> assertThat(f).contains("no participant of this meeting is called 'Bob'"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].recordings[0].type"))
        .anySatisfy(f -> assertThat(f).startsWith("meetings[0].recordings[0].outcome"));
  }

  @Test
  void aMissingScenarioIsReported() {
    assertThat(faulty("meetings: 3")).containsExactly("meetings: a list is needed");
    assertThat(faulty("{{{")).singleElement().asString().startsWith("not YAML or JSON");
  }

  @Test
  void theBundledScenariosAreValid() {
    for (String name : ScenarioLoader.NAMES) {
      assertThat(ScenarioLoader.find(name))
          .as(name)
          .isInstanceOf(ScenarioParseResult.ValidScenario.class);
    }
    assertThat(ScenarioLoader.find("no such file"))
        .isInstanceOf(ScenarioParseResult.InvalidScenario.class);
    assertThat(ScenarioLoader.morning().meetings()).hasSize(5);
  }

  @Test
  void spansAreWrittenAsTheyAreRead() {
    assertThat(DurationFormat.read("1h2m3s")).contains(Duration.ofSeconds(3723));
    assertThat(DurationFormat.read("250ms")).contains(Duration.ofMillis(250));
    assertThat(DurationFormat.read("1.5s")).contains(Duration.ofMillis(1500));
    assertThat(DurationFormat.read("")).isEmpty();
    assertThat(DurationFormat.read("10")).isEmpty();
    assertThat(DurationFormat.read(DurationFormat.write(Duration.ofSeconds(95))))
        .contains(Duration.ofSeconds(95));
  }

  private static SimulationScript good(String text) {
    return switch (ScenarioReader.read(text.getBytes(StandardCharsets.UTF_8))) {
      case ScenarioParseResult.ValidScenario(SimulationScript simulationScript) -> simulationScript;
      case ScenarioParseResult.InvalidScenario(List<String> faults) ->
          throw new AssertionError(faults);
    };
  }

  private static List<String> faulty(String text) {
    return switch (ScenarioReader.read(text.getBytes(StandardCharsets.UTF_8))) {
      case ScenarioParseResult.ValidScenario validScenario ->
          throw new AssertionError("no fault was found");
      case ScenarioParseResult.InvalidScenario(List<String> faults) -> faults;
    };
  }
}
