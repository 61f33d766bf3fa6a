package io.convoke.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.Lobby;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.Visitor;
import io.convoke.simulator.time.ManualClock;
import io.convoke.simulator.webhook.WebhookDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A bot in a room, from joining to every way of leaving. */
final class RoomProtocolTest {

  private final ManualClock time = new ManualClock(Instant.parse("2026-03-02T09:00:00Z"));
  private final Simulator sim = Simulator.start(SimulatorConfig.defaults().withTime(time));
  private final SimulatorTestClient simulatorTestClient =
      new SimulatorTestClient(sim.url(), Optional.empty());

  @AfterEach
  void stop() {
    simulatorTestClient.close();
    sim.close();
  }

  @Test
  void aBotReceivesParticipantsAndEvents() throws Exception {
    room("standup", new Lobby.OpenLobby());
    sim.world().join("standup", Visitor.named("Ada"));
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    assertThat(joined.path("state").stringValue()).isEqualTo("in_meeting");

    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      JsonNode snapshot = roomEventReader.await("snapshot");
      assertThat(snapshot.path("meeting_id")).isEqualTo(joined.path("meeting_id"));
      assertThat(
              snapshot
                  .path("participants")
                  .valueStream()
                  .map(p -> p.path("user_name").stringValue()))
          .containsExactly("Ada", "Notes");

      sim.world().join("standup", Visitor.named("Ben"));
      assertThat(roomEventReader.await("participant-joined").path("user_name").stringValue())
          .isEqualTo("Ben");

      sim.world().say("standup", session("Ada").sessionId(), "Good morning");
      JsonNode caption = roomEventReader.await("caption");
      assertThat(caption.path("user_name").stringValue()).isEqualTo("Ada");
      assertThat(caption.path("text").stringValue()).isEqualTo("Good morning");
      assertThat(caption.path("at").stringValue()).isEqualTo("2026-03-02T09:00:00.000Z");

      sim.world().leave("standup", session("Ben").sessionId(), LeaveReason.LEFT);
      assertThat(roomEventReader.await("participant-left").path("user_name").stringValue())
          .isEqualTo("Ben");
    }
  }

  @Test
  void aBotThatLeavesEndsItsStream() throws Exception {
    room("standup", new Lobby.OpenLobby());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      String body = "{\"session_id\":" + joined.path("session_id") + "}";
      assertThat(simulatorTestClient.post(joined.path("leave_url").stringValue(), body).status())
          .isEqualTo(200);
      roomEventReader.awaitEnd();
      assertThat(roomEventReader.events()).containsExactly("snapshot", "left");
      assertThat(simulatorTestClient.post(joined.path("leave_url").stringValue(), body).status())
          .isEqualTo(404);
    }
    assertThat(sim.truth().sessions().getFirst().reason()).contains(LeaveReason.LEFT);
  }

  @Test
  void aBotWaitsInTheLobbyAndIsAdmitted() throws Exception {
    room("interview", new Lobby.AdmitAfter(Duration.ofSeconds(20)));
    sim.world().join("interview", Visitor.named("Maria").asOwner());
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    assertThat(joined.path("state").stringValue()).isEqualTo("waiting");

    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      assertThat(roomEventReader.await("snapshot").path("participants").size()).isZero();
      time.advance(Duration.ofSeconds(20));
      roomEventReader.await("admitted");
      // Only admitted sessions receive spoken lines.
      roomEventReader.awaitState("in_meeting");
      sim.world().say("interview", session("Maria").sessionId(), "Hello");
      roomEventReader.await("caption");
      assertThat(roomEventReader.events())
          .containsExactly("snapshot", "admitted", "snapshot", "caption");
      assertThat(roomEventReader.heard().get(2).data().path("state").stringValue())
          .isEqualTo("in_meeting");
    }
    assertThat(sim.truth().webhooks().stream().map(d -> d.envelope().type()))
        .containsSubsequence("waiting-participant.joined", "participant.joined")
        .doesNotContain("waiting-participant.left");
  }

  @Test
  void aBotIsRefused() throws Exception {
    room("interview", new Lobby.DenyAfter(Duration.ofSeconds(20)));
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      time.advance(Duration.ofSeconds(20));
      roomEventReader.awaitEnd();
      assertThat(roomEventReader.events()).containsExactly("snapshot", "denied");
    }
    assertThat(sim.truth().sessions()).isEmpty();
  }

  @Test
  void aClosedLobbyOpensByHandOnly() throws Exception {
    room("interview", new Lobby.ClosedLobby());
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      time.advance(Duration.ofHours(2));
      assertThat(simulatorTestClient.post("/control/rooms/interview/admit", "").status())
          .isEqualTo(200);
      roomEventReader.await("admitted");
    }
  }

  @Test
  void aBotIsEjected() throws Exception {
    room("standup", new Lobby.OpenLobby());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      simulatorTestClient.post(
          "/control/rooms/standup/leave", "{\"user_name\":\"Notes\",\"reason\":\"ejected\"}");
      roomEventReader.awaitEnd();
      assertThat(roomEventReader.events()).containsExactly("snapshot", "ejected");
    }
  }

  @Test
  void theHostEndsTheMeetingForAll() throws Exception {
    room("standup", new Lobby.OpenLobby());
    sim.world().join("standup", Visitor.named("Ada").asOwner());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      assertThat(simulatorTestClient.post("/control/rooms/standup/end", "").status())
          .isEqualTo(200);
      roomEventReader.awaitEnd();
      assertThat(roomEventReader.events())
          .containsExactly("snapshot", "participant-left", "meeting-ended");
    }
    assertThat(sim.truth().meetings().getFirst().ongoing()).isFalse();
  }

  @Test
  void aVanishedBotIsDisconnectedAfterTheAllowance() throws Exception {
    try (Simulator fast = Simulator.start(SimulatorConfig.defaults().withSpeed(50));
        SimulatorTestClient caller = new SimulatorTestClient(fast.url(), Optional.empty())) {
      fast.world().create(RoomRequest.named("standup"));
      JsonNode joined = caller.post("/rooms/standup/join", "{\"user_name\":\"Notes\"}").body();
      try (RoomEventReader roomEventReader =
          new RoomEventReader(joined.path("events_url").stringValue())) {
        roomEventReader.await("snapshot");
      }
      WebhookDelivery left =
          fast.awaitWebhook(
              d -> d.envelope().type().equals("participant.left"), WebhookReceiver.PATIENCE);
      assertThat(left.envelope().sessionId()).contains(joined.path("session_id").stringValue());
      assertThat(fast.truth().sessions().getFirst().reason()).contains(LeaveReason.DISCONNECTED);
    }
  }

  @Test
  void aBotThatNeverListensIsDisconnectedToo() {
    room("standup", new Lobby.OpenLobby());
    join("standup", "{\"user_name\":\"Notes\"}");
    time.advance(Duration.ofSeconds(59));
    assertThat(sim.truth().sessions().getFirst().leftAt()).isEmpty();
    time.advance(Duration.ofSeconds(1));
    assertThat(sim.truth().sessions().getFirst().reason()).contains(LeaveReason.DISCONNECTED);
  }

  @Test
  void aReconnectedBotMissesNoLine() throws Exception {
    room("standup", new Lobby.OpenLobby());
    sim.world().join("standup", Visitor.named("Ada"));
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    String url = joined.path("events_url").stringValue();
    String last;
    try (RoomEventReader roomEventReader = new RoomEventReader(url)) {
      sim.world().say("standup", session("Ada").sessionId(), "one");
      roomEventReader.await("caption");
      last = roomEventReader.heard().getLast().id();
    }
    sim.world().say("standup", session("Ada").sessionId(), "two");
    try (RoomEventReader again = new RoomEventReader(url, "Last-Event-ID", last)) {
      assertThat(again.await("caption").path("text").stringValue()).isEqualTo("two");
      assertThat(again.events()).containsExactly("snapshot", "caption");
      time.advance(Duration.ofHours(1));
      assertThat(session("Notes").leftAt()).isEmpty();
    }
  }

  @Test
  void aBotMaySpeak() throws Exception {
    room("standup", new Lobby.OpenLobby());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (RoomEventReader roomEventReader =
        new RoomEventReader(joined.path("events_url").stringValue())) {
      roomEventReader.await("snapshot");
      simulatorTestClient.post(
          joined.path("say_url").stringValue(),
          "{\"session_id\":" + joined.path("session_id") + ",\"text\":\"I take notes.\"}");
      assertThat(roomEventReader.await("caption").path("user_name").stringValue())
          .isEqualTo("Notes");
    }
  }

  @Test
  void theDoorIsShutForGoodReasons() {
    assertThat(simulatorTestClient.post("/rooms/nowhere/join", "{}").error())
        .isEqualTo("room-not-found");
    assertThat(simulatorTestClient.get("/rooms/nowhere").status()).isEqualTo(404);
    room("standup", new Lobby.OpenLobby());
    assertThat(simulatorTestClient.post("/rooms/standup/join", "[]").error())
        .isEqualTo("json-parsing-error");
    assertThat(simulatorTestClient.get("/rooms/standup/events?session_id=none").error())
        .isEqualTo("session-not-found");

    sim.world()
        .create(
            new RoomRequest(
                "small", "public", false, Map.of("max_participants", 1), new Lobby.OpenLobby()));
    join("small", "{\"user_name\":\"One\"}");
    assertThat(simulatorTestClient.post("/rooms/small/join", "{}").error()).isEqualTo("room-full");
  }

  @Test
  void aPrivateRoomAsksForAToken() {
    sim.world().create(new RoomRequest("board", "private", false, Map.of(), new Lobby.OpenLobby()));
    assertThat(simulatorTestClient.post("/rooms/board/join", "{}").error())
        .isEqualTo("token-refused");
    try (SimulatorTestClient owner = new SimulatorTestClient(sim)) {
      String token =
          owner
              .post(
                  "/v1/meeting-tokens",
                  "{\"properties\":{\"room_name\":\"board\",\"user_id\":\"eve\",\"is_owner\":true}}")
              .body()
              .path("token")
              .stringValue();
      JsonNode joined = join("board", "{\"token\":\"" + token + "\",\"user_name\":\"Eve\"}");
      assertThat(joined.path("state").stringValue()).isEqualTo("in_meeting");
      assertThat(session("Eve").visitor().owner()).isTrue();
      assertThat(session("Eve").visitor().userId()).contains("eve");
      room("other", new Lobby.OpenLobby());
      assertThat(
              simulatorTestClient
                  .post("/rooms/other/join", "{\"token\":\"" + token + "\"}")
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void aRoomMayBeCreatedByAJoin() {
    try (Simulator open = Simulator.start(SimulatorConfig.defaults().withOpenRooms());
        SimulatorTestClient caller = new SimulatorTestClient(open.url(), Optional.empty())) {
      assertThat(caller.post("/rooms/anything/join", "{}").status()).isEqualTo(200);
    }
  }

  private void room(String name, Lobby lobby) {
    sim.world().create(RoomRequest.named(name).withLobby(lobby));
  }

  private JsonNode join(String room, String body) {
    SimulatorTestClient.Reply reply = simulatorTestClient.post("/rooms/" + room + "/join", body);
    assertThat(reply.status()).isEqualTo(200);
    return reply.body();
  }

  private RoomSession session(String name) {
    return sim.truth().sessions().stream()
        .filter(s -> s.visitor().userName().equals(Optional.of(name)))
        .reduce((first, second) -> second)
        .orElseThrow();
  }
}
