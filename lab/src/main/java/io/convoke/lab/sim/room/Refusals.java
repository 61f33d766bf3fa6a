package io.convoke.lab.sim.room;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Fields;

/** Why a bot is not let in or not heard. */
final class Refusals {

  private Refusals() {}

  static Answer noRoom(String room) {
    return refusal(404, "room-not-found", "there is no room named " + room);
  }

  static Answer noSession() {
    return refusal(404, "session-not-found", "no open session of this room has that session_id");
  }

  static Answer full() {
    return refusal(403, "room-full", "the room has as many participants as it may have");
  }

  static Answer token(String info) {
    return refusal(403, "token-refused", info);
  }

  static Answer malformed() {
    return refusal(400, "json-parsing-error", "the body is not a JSON object");
  }

  private static Answer refusal(int status, String error, String info) {
    return Answer.json(status, Fields.of("error", error).put("info", info).map());
  }
}
