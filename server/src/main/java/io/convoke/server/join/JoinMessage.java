package io.convoke.server.join;

import io.convoke.engine.json.Json;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a page may say to Janus: a message is built anew from the fields that a participant needs,
 * with our room, PIN and id in a join. Everything else, such as making a room or forwarding its
 * media, is refused. Pure.
 */
final class JoinMessage {
  private static final String VIDEO_ROOM = "janus.plugin.videoroom";

  /** Longest name that a participant shows. */
  private static final int NAME_MAX = 64;

  private static final int SDP_MAX = 64 * 1024;

  private JoinMessage() {}

  /**
   * How a join is completed.
   *
   * @param id the participant's id, unless it only subscribes
   */
  record JoinParameters(String room, String pin, String id) {}

  /** A message to Janus itself: without a session it may only create one. */
  static Optional<ObjectNode> toServer(JsonNode message) {
    return is(message, "create") ? Optional.of(plain(message)) : Optional.empty();
  }

  /** A message to a session: attaches a handle of the VideoRoom plugin, or keeps or ends it. */
  static Optional<ObjectNode> toSession(JsonNode message) {
    return switch (message.path("janus").asString("")) {
      case "attach" -> Optional.of(plain(message).put("plugin", VIDEO_ROOM));
      case "keepalive", "destroy" -> Optional.of(plain(message));
      default -> Optional.empty();
    };
  }

  /** A message to a handle. */
  static Optional<ObjectNode> toHandle(JsonNode message, JoinParameters terms) {
    return switch (message.path("janus").asString("")) {
      case "message" -> request(message, terms);
      case "trickle" ->
          Optional.of(plain(message)).map(it -> it.set("candidate", candidate(message)));
      case "hangup", "detach" -> Optional.of(plain(message));
      default -> Optional.empty();
    };
  }

  /** Whether this message joins a room. */
  static boolean joins(JsonNode message) {
    return is(message, "message")
        && message.path("body").path("request").asString("").equals("join");
  }

  /** Whether this message joins as a participant; hearing others is a join of its own. */
  static boolean publishes(JsonNode message) {
    return joins(message) && !message.path("body").path("ptype").asString("").equals("subscriber");
  }

  private static Optional<ObjectNode> request(JsonNode message, JoinParameters terms) {
    JsonNode given = message.path("body");
    ObjectNode body = Json.mapper().createObjectNode();
    String request = given.path("request").asString("");
    body.put("request", request);
    switch (request) {
      case "join" -> {
        body.put("room", terms.room());
        body.put("pin", terms.pin());
        if (given.path("ptype").asString("").equals("subscriber")) {
          body.put("ptype", "subscriber");
          copy(given, body, List.of("private_id", "streams"));
        } else {
          body.put("ptype", "publisher");
          body.put("id", terms.id());
          body.put("display", display(given));
        }
      }
      case "publish", "configure" -> copy(given, body, List.of("audio", "video", "descriptions"));
      case "subscribe", "unsubscribe" -> copy(given, body, List.of("streams"));
      case "start", "unpublish", "leave" -> {}
      default -> {
        return Optional.empty();
      }
    }
    ObjectNode sent = plain(message);
    sent.set("body", body);
    if (message.has("jsep")) {
      JsonNode jsep = message.path("jsep");
      String sdp = jsep.path("sdp").asString("");
      if (sdp.length() > SDP_MAX) {
        return Optional.empty();
      }
      ObjectNode description = Json.mapper().createObjectNode();
      description.put("type", jsep.path("type").asString(""));
      description.put("sdp", sdp);
      sent.set("jsep", description);
    }
    return Optional.of(sent);
  }

  private static JsonNode candidate(JsonNode message) {
    ObjectNode candidate = Json.mapper().createObjectNode();
    copy(
        message.path("candidate"),
        candidate,
        List.of("candidate", "sdpMid", "sdpMLineIndex", "completed"));
    return candidate;
  }

  private static String display(JsonNode body) {
    String name = body.path("display").asString("").strip();
    String plain =
        name.codePoints()
            .filter(point -> !Character.isISOControl(point))
            .limit(NAME_MAX)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    return plain.isEmpty() ? "Guest" : plain;
  }

  private static boolean is(JsonNode message, String janus) {
    return message.path("janus").asString("").equals(janus);
  }

  private static ObjectNode plain(JsonNode message) {
    ObjectNode sent = Json.mapper().createObjectNode();
    sent.put("janus", message.path("janus").asString(""));
    sent.put("transaction", message.path("transaction").asString(""));
    return sent;
  }

  private static void copy(JsonNode from, ObjectNode to, List<String> fields) {
    for (String field : fields) {
      if (from.has(field)) {
        to.set(field, from.path(field));
      }
    }
  }
}
