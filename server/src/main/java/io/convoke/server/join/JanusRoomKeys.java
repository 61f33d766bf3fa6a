package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import java.util.Base64;
import java.util.List;

/**
 * The secret and the PIN of each room that we make: derived from {@code CONVOKE_SECRET_KEY} and its
 * name, so that nothing is stored and a room that Janus forgot is made again with the same ones.
 * The newest key's come first; a room that was made with an older key opens with that one's.
 */
final class JanusRoomKeys {
  private final SecretBox secrets;

  JanusRoomKeys(SecretBox secrets) {
    this.secrets = secrets;
  }

  /** What joins the room. */
  List<String> pins(String room) {
    return texts("janus-room-pin", room);
  }

  /** What manages the room. */
  List<String> secrets(String room) {
    return texts("janus-room-secret", room);
  }

  private List<String> texts(String purpose, String room) {
    return secrets.deriveAll(purpose, room).stream()
        .map(Base64.getUrlEncoder().withoutPadding()::encodeToString)
        .toList();
  }
}
