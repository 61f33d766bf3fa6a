package io.convoke.server.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.join.JoinMessage.JoinParameters;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class JoinMessageTest {
  private static final JoinParameters TERMS = new JoinParameters("ours", "1234", "guest-1");

  private static Optional<JsonNode> toHandle(String message) {
    return JoinMessage.toHandle(Json.read(message), TERMS).map(JsonNode.class::cast);
  }

  @Test
  void aJoinHasOurRoomPinAndIdWhateverThePageSays() {
    JsonNode sent =
        toHandle(
                """
                {"janus": "message", "transaction": "t", "apisecret": "x", "admin_secret": "y",
                 "body": {"request": "join", "ptype": "publisher", "room": "theirs", "pin": "0",
                  "id": "host-9", "display": " Ada\\u0000 ", "token": "z"}}
                """)
            .orElseThrow();
    assertThat(sent)
        .isEqualTo(
            Json.read(
                """
                {"janus": "message", "transaction": "t", "body": {"request": "join",
                  "room": "ours", "pin": "1234", "ptype": "publisher", "id": "guest-1",
                  "display": "Ada"}}
                """));
  }

  @Test
  void aSubscriberHasNoId() {
    JsonNode body =
        toHandle(
                """
                {"janus": "message", "transaction": "t", "body": {"request": "join",
                  "ptype": "subscriber", "id": "x", "private_id": 5, "streams": [{"feed": "a"}]}}
                """)
            .orElseThrow()
            .path("body");
    assertThat(body.propertyNames())
        .containsExactlyInAnyOrder("request", "ptype", "room", "pin", "private_id", "streams");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create",
        "destroy",
        "edit",
        "kick",
        "list",
        "listparticipants",
        "rtp_forward",
        "allowed",
        "moderate",
        "enable_recording",
        "switch",
        "joinandconfigure",
        ""
      })
  void otherRequestsOfThePluginAreRefused(String request) {
    assertThat(
            toHandle(
                "{\"janus\": \"message\", \"transaction\": \"t\", \"body\": {\"request\": \"%s\"}}"
                    .formatted(request)))
        .isEmpty();
  }

  @Test
  void aRecordingIsNotForThePageToStart() {
    JsonNode body =
        toHandle(
                """
                {"janus": "message", "transaction": "t", "body": {"request": "publish",
                  "audio": true, "record": true, "filename": "/etc/passwd", "bitrate": 1},
                 "jsep": {"type": "offer", "sdp": "v=0", "trickle": true}}
                """)
            .orElseThrow();
    assertThat(body.path("body").propertyNames()).containsExactlyInAnyOrder("request", "audio");
    assertThat(body.path("jsep").propertyNames()).containsExactlyInAnyOrder("type", "sdp");
  }

  @Test
  void aSessionHasHandlesOfTheVideoRoomAlone() {
    assertThat(
            JoinMessage.toSession(
                    Json.read(
                        "{\"janus\": \"attach\", \"transaction\": \"t\", \"plugin\": \"other\"}"))
                .orElseThrow()
                .path("plugin")
                .asString())
        .isEqualTo("janus.plugin.videoroom");
    assertThat(JoinMessage.toSession(Json.read("{\"janus\": \"claim\"}"))).isEmpty();
    assertThat(JoinMessage.toServer(Json.read("{\"janus\": \"info\"}"))).isEmpty();
    assertThat(JoinMessage.toServer(Json.read("{\"janus\": \"create\", \"id\": 5}")).orElseThrow())
        .isEqualTo(Json.read("{\"janus\": \"create\", \"transaction\": \"\"}"));
  }
}
