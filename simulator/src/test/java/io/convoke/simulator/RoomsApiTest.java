package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.state.RoomRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Rooms over REST, and paging, which all lists share. */
final class RoomsApiTest {

  private final Simulator sim = Simulator.start(SimulatorConfig.defaults());
  private final SimulatorTestClient simulatorTestClient = new SimulatorTestClient(sim);

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void aRoomIsCreatedSeenChangedAndDeleted() {
    SimulatorTestClient.Reply made =
        simulatorTestClient.post(
            "/v1/rooms",
            """
            {"name":"standup","privacy":"private","properties":{"enable_recording":"raw-tracks"}}
            """);
    assertThat(made.status()).isEqualTo(200);
    assertThat(keys(made.body()))
        .containsExactly("id", "name", "api_created", "privacy", "url", "created_at", "config");
    assertThat(made.body().path("url").stringValue()).isEqualTo(sim.roomUrl("standup").toString());
    assertThat(made.body().path("api_created").booleanValue()).isTrue();

    simulatorTestClient.post(
        "/v1/rooms/standup", "{\"privacy\":\"public\",\"properties\":{\"exp\":12}}");
    JsonNode seen = simulatorTestClient.get("/v1/rooms/standup").body();
    assertThat(seen.path("privacy").stringValue()).isEqualTo("public");
    assertThat(seen.path("config").path("exp").intValue()).isEqualTo(12);
    assertThat(seen.path("config").path("enable_recording").stringValue()).isEqualTo("raw-tracks");

    assertThat(
            simulatorTestClient.delete("/v1/rooms/standup").body().path("deleted").booleanValue())
        .isTrue();
    assertThat(simulatorTestClient.delete("/v1/rooms/standup").status()).isEqualTo(404);
  }

  @Test
  void aRoomWithoutANameGetsOne() {
    assertThat(simulatorTestClient.post("/v1/rooms", "").body().path("name").stringValue())
        .hasSize(20);
  }

  @Test
  void invalidRequestsAreRefused() {
    simulatorTestClient.post("/v1/rooms", "{\"name\":\"taken\"}");
    List<String> senseless =
        List.of(
            "{\"name\":\"taken\"}",
            "{\"name\":\"a b\"}",
            "{\"privacy\":\"secret\"}",
            "{\"properties\":[]}",
            "{\"properties\":{\"enable_recording\":\"tape\"}}",
            "{\"properties\":{\"max_participants\":\"two\"}}");
    for (String body : senseless) {
      SimulatorTestClient.Reply reply = simulatorTestClient.post("/v1/rooms", body);
      assertThat(reply.status()).as(body).isEqualTo(400);
      assertThat(reply.error()).as(body).isEqualTo("invalid-request-error");
    }
  }

  @Test
  void listsArePagedNewestFirst() {
    for (int i = 1; i <= 7; i++) {
      sim.world().create(RoomRequest.named("room-" + i));
    }
    SimulatorTestClient.Reply first = simulatorTestClient.get("/v1/rooms?limit=3");
    assertThat(first.body().path("total_count").intValue()).isEqualTo(7);
    assertThat(names(first)).containsExactly("room-7", "room-6", "room-5");

    String last = first.body().path("data").path(2).path("id").stringValue();
    SimulatorTestClient.Reply second =
        simulatorTestClient.get("/v1/rooms?limit=3&starting_after=" + last);
    assertThat(names(second)).containsExactly("room-4", "room-3", "room-2");

    String top = second.body().path("data").path(0).path("id").stringValue();
    assertThat(names(simulatorTestClient.get("/v1/rooms?limit=2&ending_before=" + top)))
        .containsExactly("room-6", "room-5");
    assertThat(names(simulatorTestClient.get("/v1/rooms?limit=2&ending_before=OLDEST")))
        .containsExactly("room-2", "room-1");
  }

  @Test
  void aPageHoldsAtMost100() {
    for (int i = 1; i <= 103; i++) {
      sim.world().create(RoomRequest.named("room-" + i));
    }
    assertThat(names(simulatorTestClient.get("/v1/rooms"))).hasSize(100);
    assertThat(simulatorTestClient.get("/v1/rooms?limit=101").error())
        .isEqualTo("invalid-request-error");
    assertThat(simulatorTestClient.get("/v1/rooms?limit=0").status()).isEqualTo(400);
    assertThat(simulatorTestClient.get("/v1/rooms?limit=ten").status()).isEqualTo(400);
    assertThat(simulatorTestClient.get("/v1/rooms?starting_after=nothing").status()).isEqualTo(400);
  }

  @Test
  void aMeetingTokenKeepsItsProperties() {
    String token =
        simulatorTestClient
            .post(
                "/v1/meeting-tokens",
                "{\"properties\":{\"room_name\":\"standup\",\"user_name\":\"Ada\",\"is_owner\":true}}")
            .body()
            .path("token")
            .stringValue();
    JsonNode claims = simulatorTestClient.get("/v1/meeting-tokens/" + token).body();
    assertThat(claims.path("room_name").stringValue()).isEqualTo("standup");
    assertThat(claims.path("is_owner").booleanValue()).isTrue();
    assertThat(simulatorTestClient.get("/v1/meeting-tokens/" + token + "x").status())
        .isEqualTo(400);
    String expired =
        simulatorTestClient
            .post("/v1/meeting-tokens", "{\"properties\":{\"exp\":1}}")
            .body()
            .path("token")
            .stringValue();
    assertThat(simulatorTestClient.get("/v1/meeting-tokens/" + expired).status()).isEqualTo(400);
  }

  static List<String> keys(JsonNode object) {
    return new ArrayList<>(object.propertyNames());
  }

  private static List<String> names(SimulatorTestClient.Reply list) {
    return list.body()
        .path("data")
        .valueStream()
        .map(room -> room.path("name").stringValue())
        .toList();
  }
}
