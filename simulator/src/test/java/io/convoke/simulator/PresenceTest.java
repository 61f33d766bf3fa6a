package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The participants according to the API: shape, lag, and the effects of faults. */
final class PresenceTest {

  private final ManualClock time = new ManualClock(Instant.parse("2026-03-02T09:00:00Z"));
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time));
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);

  @BeforeEach
  void room() {
    sim.world().create(RoomRequest.named("standup"));
  }

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void aRoomsPresenceHasDailysShape() {
    RoomSession ada = join("standup", Visitor.named("Ada").withUserId("ada"));
    time.advance(Duration.ofSeconds(90));

    JsonNode body = simulatorTestClient.get("/v1/rooms/standup/presence").body();

    assertThat(RoomsApiTest.keys(body)).containsExactly("total_count", "data");
    JsonNode entry = body.path("data").path(0);
    assertThat(RoomsApiTest.keys(entry))
        .containsExactly(
            "room", "id", "userId", "userName", "mtgSessionId", "joinTime", "duration");
    assertThat(entry.path("id").stringValue()).isEqualTo(ada.sessionId());
    assertThat(entry.path("mtgSessionId").stringValue()).isEqualTo(ada.meetingId());
    assertThat(entry.path("joinTime").stringValue()).isEqualTo("2026-03-02T09:00:00.000Z");
    assertThat(entry.path("duration").intValue()).isEqualTo(90);
  }

  @Test
  void theDomainsPresenceListsOccupiedRoomsOnly() {
    sim.world().create(RoomRequest.named("review"));
    sim.world().create(RoomRequest.named("empty"));
    join("standup", Visitor.named("Ada"));
    join("review", Visitor.anonymous());

    JsonNode body = simulatorTestClient.get("/v1/presence").body();

    assertThat(RoomsApiTest.keys(body)).containsExactly("standup", "review");
    assertThat(body.path("review").path(0).path("userName").isNull()).isTrue();
    assertThat(body.path("review").path(0).path("userId").isNull()).isTrue();
  }

  @Test
  void oneUserInTwoTabsIsThereTwice() {
    join("standup", Visitor.named("Ada").withUserId("ada"));
    join("standup", Visitor.named("Ada").withUserId("ada"));
    join("standup", Visitor.named("Ben"));

    JsonNode body = simulatorTestClient.get("/v1/rooms/standup/presence?userId=ada").body();

    assertThat(body.path("total_count").intValue()).isEqualTo(2);
    assertThat(ids(body)).doesNotHaveDuplicates().hasSize(2);
    assertThat(
            simulatorTestClient
                .get("/v1/rooms/standup/presence?userName=Ben")
                .body()
                .path("total_count")
                .intValue())
        .isEqualTo(1);
    assertThat(ids(simulatorTestClient.get("/v1/rooms/standup/presence?limit=1").body()))
        .hasSize(1);
  }

  @Test
  void hiddenParticipantsAreNeverListed() {
    join("standup", Visitor.named("Observer").hidden());
    assertThat(simulatorTestClient.get("/v1/presence").body().isEmpty()).isTrue();
    assertThat(sim.truth().sessions()).hasSize(1);
  }

  @Test
  void presenceLagsWhenAskedTo() {
    sim.presence().lag(Duration.ofSeconds(15));
    RoomSession ada = join("standup", Visitor.named("Ada"));
    time.advance(Duration.ofSeconds(14));
    assertThat(ids(presence())).isEmpty();

    time.advance(Duration.ofSeconds(1));
    assertThat(ids(presence())).containsExactly(ada.sessionId());

    sim.world().leave("standup", ada.sessionId(), LeaveReason.LEFT);
    time.advance(Duration.ofSeconds(14));
    assertThat(ids(presence())).containsExactly(ada.sessionId());

    time.advance(Duration.ofSeconds(1));
    assertThat(ids(presence())).isEmpty();
    assertThatThrownBy(() -> sim.presence().lag(Duration.ofSeconds(16)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timesOfJoinsAreOffWhenAskedToTheSameInEveryAnswerAndNeverAhead() {
    sim.presence().timeError(Duration.ofSeconds(15));
    Instant joined = time.instant();
    for (int i = 0; i < 20; i++) {
      var _ = join("standup", Visitor.named("Guest " + i));
    }
    assertThat(joinTimes()).allMatch(told -> !told.isAfter(joined));
    time.advance(Duration.ofSeconds(16));

    List<Instant> told = joinTimes();
    assertThat(joinTimes()).isEqualTo(told).doesNotHaveDuplicates();
    assertThat(told)
        .allMatch(it -> Duration.between(joined, it).abs().compareTo(Duration.ofSeconds(15)) <= 0)
        .anyMatch(it -> it.isAfter(joined.plusSeconds(2)))
        .anyMatch(it -> it.isBefore(joined.minusSeconds(2)));
  }

  private List<Instant> joinTimes() {
    return simulatorTestClient
        .get("/v1/rooms/standup/presence")
        .body()
        .path("data")
        .valueStream()
        .map(entry -> Instant.parse(entry.path("joinTime").stringValue()))
        .toList();
  }

  @Test
  void sessionIdsAreNotReusedInARecreatedRoom() {
    RoomSession first = join("standup", Visitor.named("Ada"));
    assertThat(sim.world().delete("standup")).isTrue();
    sim.world().create(RoomRequest.named("standup"));
    RoomSession second = join("standup", Visitor.named("Ada"));

    assertThat(second.sessionId()).isNotEqualTo(first.sessionId());
    assertThat(second.meetingId()).isNotEqualTo(first.meetingId());
  }

  @Test
  void theLagOutlivesTheMeeting() {
    sim.presence().lag(Duration.ofSeconds(10));
    join("standup", Visitor.named("Ada"));
    time.advance(Duration.ofMinutes(1));
    sim.world().endMeeting("standup");

    assertThat(ids(presence())).hasSize(1);
    time.advance(Duration.ofSeconds(10));
    assertThat(ids(presence())).isEmpty();
  }

  @Test
  void aStaleAnswerShowsThePast() {
    sim.faults()
        .set(
            FaultKind.PRESENCE_STALE, FaultSetting.ALWAYS.lasting(Duration.ofSeconds(30)).times(1));
    time.advance(Duration.ofMinutes(1));
    join("standup", Visitor.named("Ada"));

    assertThat(ids(presence())).isEmpty();
    assertThat(ids(presence())).hasSize(1);
  }

  @Test
  void aTruncatedAnswerKeepsTheRightCount() {
    for (int i = 0; i < 5; i++) {
      join("standup", Visitor.named("Person " + i));
    }
    sim.faults().set(FaultKind.PRESENCE_TRUNCATED, FaultSetting.ALWAYS.times(1));

    JsonNode truncated = presence();

    assertThat(truncated.path("total_count").intValue()).isEqualTo(5);
    assertThat(ids(truncated)).hasSize(2);
    assertThat(ids(presence())).hasSize(5);
  }

  @Test
  void anEmptyResponseListsNoParticipants() {
    join("standup", Visitor.named("Ada"));
    sim.faults().set(FaultKind.PRESENCE_EMPTY, FaultSetting.ALWAYS.times(2));

    assertThat(presence().path("total_count").intValue()).isZero();
    assertThat(simulatorTestClient.get("/v1/presence").body().isEmpty()).isTrue();
    assertThat(ids(presence())).hasSize(1);
  }

  @Test
  void namesMayBeNull() {
    join("standup", Visitor.named("Ada"));
    sim.faults().set(FaultKind.NULL_NAMES, FaultSetting.ALWAYS);
    assertThat(presence().path("data").path(0).path("userName").isNull()).isTrue();
  }

  @Test
  void theApiFailsWhenAskedTo() {
    sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on("/presence").times(1));
    assertThat(simulatorTestClient.get("/v1/rooms").status()).isEqualTo(200);
    assertThat(simulatorTestClient.get("/v1/rooms/standup/presence").error())
        .isEqualTo("server-error");
    assertThat(simulatorTestClient.get("/v1/rooms/standup/presence").status()).isEqualTo(200);

    sim.faults().set(FaultKind.API_404, FaultSetting.ALWAYS.times(1));
    assertThat(simulatorTestClient.get("/v1/presence").status()).isEqualTo(200);
    assertThat(simulatorTestClient.get("/v1/rooms/standup/presence").error())
        .isEqualTo("not-found");

    sim.faults()
        .set(FaultKind.API_429, FaultSetting.ALWAYS.lasting(Duration.ofSeconds(3)).times(1));
    SimulatorTestClient.Reply limited = simulatorTestClient.get("/v1/presence");
    assertThat(limited.error()).isEqualTo("rate-limit-error");
    assertThat(limited.header("Retry-After").map(Integer::parseInt))
        .hasValueSatisfying(seconds -> assertThat(seconds).isBetween(1, 3));
  }

  private JsonNode presence() {
    return simulatorTestClient.get("/v1/rooms/standup/presence").body();
  }

  private static List<String> ids(JsonNode list) {
    return list.path("data").valueStream().map(e -> e.path("id").stringValue()).toList();
  }

  private RoomSession join(String room, Visitor visitor) {
    return ((JoinResult.JoinedMeeting) sim.world().join(room, visitor)).session();
  }
}
