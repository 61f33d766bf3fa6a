package io.convoke.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Sightings become numbered events, and the roster knows who is there. */
class RosterTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private final Roster roster = new Roster("c-1");

  private static Attendee person(String name) {
    return new Attendee("s-" + name, Optional.of("u-" + name), Optional.of(name), T);
  }

  @Test
  void aLeaveCarriesWhatTheJoinSaid() {
    Roster.Report report =
        roster.report(
            List.of(
                new Sighting.Came(person("Ada")), new Sighting.Went("s-Ada", T.plusSeconds(60))));
    assertThat(report.events()).extracting(it -> it.get("id")).containsExactly("c-1:1", "c-1:2");
    assertThat(report.events()).extracting(it -> it.get("type")).containsExactly("joined", "left");
    assertThat(report.events().getLast())
        .containsEntry("user_name", "Ada")
        .containsEntry("joined_at", T)
        .containsEntry("at", T.plusSeconds(60));
    assertThat(report.everybody()).isEmpty();
  }

  @Test
  void theLeaveOfAStrangerIsToldWithoutAJoin() {
    Roster.Report report = roster.report(List.of(new Sighting.Went("s-x", T)));
    assertThat(report.events().getFirst())
        .containsEntry("session_id", "s-x")
        .doesNotContainKey("joined_at");
  }

  @Test
  void everybodyReplacesWhoWasThereAndCanBeSaidAgain() {
    Roster.Report _ = roster.report(List.of(new Sighting.Came(person("Ada"))));
    Roster.Report report =
        roster.report(List.of(new Sighting.Everybody(List.of(person("Bob")), T)));
    assertThat(String.valueOf(report.everybody().orElseThrow().get("participants")))
        .contains("s-Bob")
        .doesNotContain("s-Ada");
    Roster.Report _ = roster.report(List.of(new Sighting.Came(person("Cleo"))));
    assertThat(roster.again(T.plusSeconds(16)).everybody().orElseThrow().get("participants"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }
}
