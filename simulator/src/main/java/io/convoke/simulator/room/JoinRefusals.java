package io.convoke.simulator.room;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.SimResponse;

/** Why a bot is refused or its message is rejected. */
final class JoinRefusals {

  private JoinRefusals() {}

  static SimResponse noRoom(String room) {
    return refusal(404, "room-not-found", "there is no room named " + room);
  }

  static SimResponse noSession() {
    return refusal(404, "session-not-found", "no open session of this room has that session_id");
  }

  static SimResponse full() {
    return refusal(403, "room-full", "the room has as many participants as it may have");
  }

  static SimResponse token(String info) {
    return refusal(403, "token-refused", info);
  }

  static SimResponse malformed() {
    return refusal(400, "json-parsing-error", "the body is not a JSON object");
  }

  private static SimResponse refusal(int status, String error, String info) {
    return SimResponse.json(status, JsonObjectBuilder.of("error", error).put("info", info).map());
  }
}
