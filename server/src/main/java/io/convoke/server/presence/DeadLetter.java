package io.convoke.server.presence;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.convoke.engine.json.Json;
import io.convoke.server.platform.PresenceEvent;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An authentic webhook that matches no meeting, stored for inspection.
 *
 * @param body the webhook, or the event of an unknown room as JSON
 * @param room of an event in a room that has no live meeting; its letters share one row
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record DeadLetter(String reason, String body, Optional<String> room) {

  /** Longest body that is stored, in characters. */
  private static final int MAX_BODY = 16_384;

  DeadLetter(String reason, String body) {
    this(reason, body, Optional.empty());
  }

  static DeadLetter of(String reason, byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8).replace("\0", "");
    return new DeadLetter(reason, text.substring(0, Math.min(text.length(), MAX_BODY)));
  }

  static DeadLetter unknownRoom(PresenceEvent event) {
    return new DeadLetter("unknown room", Json.write(event), Optional.of(event.room()));
  }
}
