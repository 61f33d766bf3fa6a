package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Participant events get numbers, and the roster tracks the participants. */
class ParticipantRosterTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private final ParticipantRoster participantRoster = new ParticipantRoster("c-1");

  private static Attendee person(String name) {
    return new Attendee("s-" + name, Optional.of("u-" + name), Optional.of(name), T);
  }

  @Test
  void aLeaveCarriesWhatTheJoinSaid() {
    ParticipantRoster.ParticipantReport participantReport =
        participantRoster.report(
            List.of(
                new ParticipantEvent.ParticipantJoined(person("Ada")),
                new ParticipantEvent.ParticipantLeft("s-Ada", T.plusSeconds(60))));
    assertThat(participantReport.events())
        .extracting(it -> it.get("id"))
        .containsExactly("c-1:1", "c-1:2");
    assertThat(participantReport.events())
        .extracting(it -> it.get("type"))
        .containsExactly("joined", "left");
    assertThat(participantReport.events().getLast())
        .containsEntry("user_name", "Ada")
        .containsEntry("joined_at", T)
        .containsEntry("at", T.plusSeconds(60));
    assertThat(participantReport.fullList()).isEmpty();
  }

  @Test
  void theLeaveOfAnUnknownParticipantIsReportedWithoutAJoin() {
    ParticipantRoster.ParticipantReport participantReport =
        participantRoster.report(List.of(new ParticipantEvent.ParticipantLeft("s-x", T)));
    assertThat(participantReport.events().getFirst())
        .containsEntry("session_id", "s-x")
        .doesNotContainKey("joined_at");
  }

  @Test
  void aFullListReplacesTheRosterAndCanBeRepeated() {
    ParticipantRoster.ParticipantReport _ =
        participantRoster.report(List.of(new ParticipantEvent.ParticipantJoined(person("Ada"))));
    ParticipantRoster.ParticipantReport participantReport =
        participantRoster.report(
            List.of(new ParticipantEvent.ParticipantSnapshot(List.of(person("Bob")), T)));
    assertThat(String.valueOf(participantReport.fullList().orElseThrow().get("participants")))
        .contains("s-Bob")
        .doesNotContain("s-Ada");
    ParticipantRoster.ParticipantReport _ =
        participantRoster.report(List.of(new ParticipantEvent.ParticipantJoined(person("Cleo"))));
    assertThat(
            participantRoster.again(T.plusSeconds(16)).fullList().orElseThrow().get("participants"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }
}
