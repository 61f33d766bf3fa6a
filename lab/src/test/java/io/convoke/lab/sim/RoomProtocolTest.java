package io.convoke.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.lab.sim.time.SteppedTime;
import io.convoke.lab.sim.webhook.Delivery;
import io.convoke.lab.sim.world.LeaveReason;
import io.convoke.lab.sim.world.Lobby;
import io.convoke.lab.sim.world.RoomRequest;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.Visitor;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A bot in a room, from joining to every way of leaving. */
final class RoomProtocolTest {

  private final SteppedTime time = new SteppedTime(Instant.parse("2026-03-02T09:00:00Z"));
  private final Simulator sim = Simulator.start(SimulatorOptions.defaults().withTime(time));
  private final Client client = new Client(sim.url(), Optional.empty());

  @AfterEach
  void stop() {
    client.close();
    sim.close();
  }

  @Test
  void aBotSeesWhoIsThereAndWhatHappens() throws Exception {
    room("standup", new Lobby.Open());
    sim.world().join("standup", Visitor.named("Ada"));
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    assertThat(joined.path("state").stringValue()).isEqualTo("in_meeting");

    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      JsonNode snapshot = ear.await("snapshot");
      assertThat(snapshot.path("meeting_id")).isEqualTo(joined.path("meeting_id"));
      assertThat(
              snapshot
                  .path("participants")
                  .valueStream()
                  .map(p -> p.path("user_name").stringValue()))
          .containsExactly("Ada", "Notes");

      sim.world().join("standup", Visitor.named("Ben"));
      assertThat(ear.await("participant-joined").path("user_name").stringValue()).isEqualTo("Ben");

      sim.world().say("standup", session("Ada").sessionId(), "Good morning");
      JsonNode caption = ear.await("caption");
      assertThat(caption.path("user_name").stringValue()).isEqualTo("Ada");
      assertThat(caption.path("text").stringValue()).isEqualTo("Good morning");
      assertThat(caption.path("at").stringValue()).isEqualTo("2026-03-02T09:00:00.000Z");

      sim.world().leave("standup", session("Ben").sessionId(), LeaveReason.LEFT);
      assertThat(ear.await("participant-left").path("user_name").stringValue()).isEqualTo("Ben");
    }
  }

  @Test
  void aBotThatLeavesEndsItsStream() throws Exception {
    room("standup", new Lobby.Open());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      String body = "{\"session_id\":" + joined.path("session_id") + "}";
      assertThat(client.post(joined.path("leave_url").stringValue(), body).status()).isEqualTo(200);
      ear.awaitEnd();
      assertThat(ear.events()).containsExactly("snapshot", "left");
      assertThat(client.post(joined.path("leave_url").stringValue(), body).status()).isEqualTo(404);
    }
    assertThat(sim.truth().sessions().getFirst().reason()).contains(LeaveReason.LEFT);
  }

  @Test
  void aBotWaitsInTheLobbyAndIsAdmitted() throws Exception {
    room("interview", new Lobby.AdmitAfter(Duration.ofSeconds(20)));
    sim.world().join("interview", Visitor.named("Maria").asOwner());
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    assertThat(joined.path("state").stringValue()).isEqualTo("waiting");

    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      assertThat(ear.await("snapshot").path("participants").size()).isZero();
      time.advance(Duration.ofSeconds(20));
      ear.await("admitted");
      // Only who is in the meeting hears what is said.
      ear.awaitState("in_meeting");
      sim.world().say("interview", session("Maria").sessionId(), "Hello");
      ear.await("caption");
      assertThat(ear.events()).containsExactly("snapshot", "admitted", "snapshot", "caption");
      assertThat(ear.heard().get(2).data().path("state").stringValue()).isEqualTo("in_meeting");
    }
    assertThat(sim.truth().webhooks().stream().map(d -> d.envelope().type()))
        .containsSubsequence(
            "waiting-participant.joined", "waiting-participant.left", "participant.joined");
  }

  @Test
  void aBotIsTurnedAway() throws Exception {
    room("interview", new Lobby.DenyAfter(Duration.ofSeconds(20)));
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      time.advance(Duration.ofSeconds(20));
      ear.awaitEnd();
      assertThat(ear.events()).containsExactly("snapshot", "denied");
    }
    assertThat(sim.truth().sessions()).isEmpty();
  }

  @Test
  void aClosedLobbyOpensByHandOnly() throws Exception {
    room("interview", new Lobby.Closed());
    JsonNode joined = join("interview", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      time.advance(Duration.ofHours(2));
      assertThat(client.post("/control/rooms/interview/admit", "").status()).isEqualTo(200);
      ear.await("admitted");
    }
  }

  @Test
  void aBotIsEjected() throws Exception {
    room("standup", new Lobby.Open());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      client.post(
          "/control/rooms/standup/leave", "{\"user_name\":\"Notes\",\"reason\":\"ejected\"}");
      ear.awaitEnd();
      assertThat(ear.events()).containsExactly("snapshot", "ejected");
    }
  }

  @Test
  void theHostEndsTheMeetingForAll() throws Exception {
    room("standup", new Lobby.Open());
    sim.world().join("standup", Visitor.named("Ada").asOwner());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      assertThat(client.post("/control/rooms/standup/end", "").status()).isEqualTo(200);
      ear.awaitEnd();
      assertThat(ear.events()).containsExactly("snapshot", "participant-left", "meeting-ended");
    }
    assertThat(sim.truth().meetings().getFirst().ongoing()).isFalse();
  }

  @Test
  void aVanishedBotIsDisconnectedAfterTheAllowance() throws Exception {
    try (Simulator fast = Simulator.start(SimulatorOptions.defaults().withSpeed(50));
        Client caller = new Client(fast.url(), Optional.empty())) {
      fast.world().create(RoomRequest.named("standup"));
      JsonNode joined = caller.post("/rooms/standup/join", "{\"user_name\":\"Notes\"}").body();
      try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
        ear.await("snapshot");
      }
      Delivery left =
          fast.awaitWebhook(d -> d.envelope().type().equals("participant.left"), Inbox.PATIENCE);
      assertThat(left.envelope().sessionId()).contains(joined.path("session_id").stringValue());
      assertThat(fast.truth().sessions().getFirst().reason()).contains(LeaveReason.DISCONNECTED);
    }
  }

  @Test
  void aBotThatNeverListensIsDisconnectedToo() {
    room("standup", new Lobby.Open());
    join("standup", "{\"user_name\":\"Notes\"}");
    time.advance(Duration.ofSeconds(59));
    assertThat(sim.truth().sessions().getFirst().leftAt()).isEmpty();
    time.advance(Duration.ofSeconds(1));
    assertThat(sim.truth().sessions().getFirst().reason()).contains(LeaveReason.DISCONNECTED);
  }

  @Test
  void aBotThatListensAgainMissesNoWord() throws Exception {
    room("standup", new Lobby.Open());
    sim.world().join("standup", Visitor.named("Ada"));
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    String url = joined.path("events_url").stringValue();
    String last;
    try (Ear ear = new Ear(url)) {
      sim.world().say("standup", session("Ada").sessionId(), "one");
      ear.await("caption");
      last = ear.heard().getLast().id();
    }
    sim.world().say("standup", session("Ada").sessionId(), "two");
    try (Ear again = new Ear(url, "Last-Event-ID", last)) {
      assertThat(again.await("caption").path("text").stringValue()).isEqualTo("two");
      assertThat(again.events()).containsExactly("snapshot", "caption");
      time.advance(Duration.ofHours(1));
      assertThat(session("Notes").leftAt()).isEmpty();
    }
  }

  @Test
  void aBotMaySpeak() throws Exception {
    room("standup", new Lobby.Open());
    JsonNode joined = join("standup", "{\"user_name\":\"Notes\"}");
    try (Ear ear = new Ear(joined.path("events_url").stringValue())) {
      ear.await("snapshot");
      client.post(
          joined.path("say_url").stringValue(),
          "{\"session_id\":" + joined.path("session_id") + ",\"text\":\"I take notes.\"}");
      assertThat(ear.await("caption").path("user_name").stringValue()).isEqualTo("Notes");
    }
  }

  @Test
  void theDoorIsShutForGoodReasons() {
    assertThat(client.post("/rooms/nowhere/join", "{}").error()).isEqualTo("room-not-found");
    assertThat(client.get("/rooms/nowhere").status()).isEqualTo(404);
    room("standup", new Lobby.Open());
    assertThat(client.post("/rooms/standup/join", "[]").error()).isEqualTo("json-parsing-error");
    assertThat(client.get("/rooms/standup/events?session_id=none").error())
        .isEqualTo("session-not-found");

    sim.world()
        .create(
            new RoomRequest(
                "small", "public", false, Map.of("max_participants", 1), new Lobby.Open()));
    join("small", "{\"user_name\":\"One\"}");
    assertThat(client.post("/rooms/small/join", "{}").error()).isEqualTo("room-full");
  }

  @Test
  void aPrivateRoomAsksForAToken() {
    sim.world().create(new RoomRequest("board", "private", false, Map.of(), new Lobby.Open()));
    assertThat(client.post("/rooms/board/join", "{}").error()).isEqualTo("token-refused");
    try (Client owner = new Client(sim)) {
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
      room("other", new Lobby.Open());
      assertThat(client.post("/rooms/other/join", "{\"token\":\"" + token + "\"}").status())
          .isEqualTo(403);
    }
  }

  @Test
  void aRoomMayOpenForWhoeverComes() {
    try (Simulator open = Simulator.start(SimulatorOptions.defaults().withOpenRooms());
        Client caller = new Client(open.url(), Optional.empty())) {
      assertThat(caller.post("/rooms/anything/join", "{}").status()).isEqualTo(200);
    }
  }

  private void room(String name, Lobby lobby) {
    sim.world().create(RoomRequest.named(name).withLobby(lobby));
  }

  private JsonNode join(String room, String body) {
    Client.Reply reply = client.post("/rooms/" + room + "/join", body);
    assertThat(reply.status()).isEqualTo(200);
    return reply.body();
  }

  private Session session(String name) {
    return sim.truth().sessions().stream()
        .filter(s -> s.visitor().userName().equals(Optional.of(name)))
        .reduce((first, second) -> second)
        .orElseThrow();
  }
}
