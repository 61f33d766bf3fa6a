package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The secret and the PIN of each room that we make: derived from {@code CONVOKE_SECRET_KEY} and its
 * name, so that nothing is stored and a room that Janus forgot is made again with the same ones.
 * While the secret key rotates a room keeps those that it was made with, because servers that issue
 * with different keys share it and pods have its secret; {@link RoomKeyRenewal} replaces them.
 */
final class JanusRoomKeys {
  /** The plugin's code for a participant whom the room does not have. */
  private static final int NO_SUCH_PARTICIPANT = 428;

  private final JanusAdmin admin;
  private final SecretBox secrets;

  JanusRoomKeys(JanusAdmin admin, SecretBox secrets) {
    this.admin = admin;
    this.secrets = secrets;
  }

  /**
   * What one key of {@code CONVOKE_SECRET_KEY} makes for a room.
   *
   * @param secret what manages the room
   * @param pin what joins the room
   */
  record RoomKey(String secret, String pin) {}

  /** What Janus says of a key of a room. */
  enum KeyCheck {
    /** The room has it. */
    FITS,
    /** The room has another one. */
    WRONG,
    /** There is no such room. */
    NO_ROOM,
    /** Nothing. */
    UNKNOWN
  }

  /** The keys that a room may have, the newest first. */
  List<RoomKey> of(String room) {
    List<String> managing = texts("janus-room-secret", room);
    List<String> joining = texts("janus-room-pin", room);
    return IntStream.range(0, managing.size())
        .mapToObj(i -> new RoomKey(managing.get(i), joining.get(i)))
        .toList();
  }

  /** What a room gets that is made now. */
  RoomKey newest(String room) {
    return of(room).getFirst();
  }

  /**
   * The key that a room has at Janus, which is asked only while there are several; empty if it does
   * not answer. A room that it does not have, or that is not of our making, counts as one of the
   * newest.
   */
  Optional<RoomKey> current(String room) {
    List<RoomKey> all = of(room);
    for (RoomKey key : all.size() > 1 ? all : List.<RoomKey>of()) {
      switch (check(room, key)) {
        case FITS -> {
          return Optional.of(key);
        }
        case WRONG -> {}
        case NO_ROOM -> {
          return Optional.of(all.getFirst());
        }
        case UNKNOWN -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(all.getFirst());
  }

  /** Asks to remove a participant who is not there: Janus looks at the secret first. */
  KeyCheck check(String room, RoomKey key) {
    Map<String, String> fields =
        Map.of("room", room, "secret", key.secret(), "id", UUID.randomUUID().toString());
    return switch (admin.send("kick", fields)) {
      case JanusReply.JanusAnswer _ -> KeyCheck.FITS;
      case JanusReply.JanusRefusal(int code, String _) ->
          switch (code) {
            case NO_SUCH_PARTICIPANT -> KeyCheck.FITS;
            case JanusAdmin.UNAUTHORIZED -> KeyCheck.WRONG;
            case JanusAdmin.NO_SUCH_ROOM -> KeyCheck.NO_ROOM;
            default -> KeyCheck.UNKNOWN;
          };
      case JanusReply.JanusCallFailed _ -> KeyCheck.UNKNOWN;
    };
  }

  private List<String> texts(String purpose, String room) {
    return secrets.deriveAll(purpose, room).stream()
        .map(Base64.getUrlEncoder().withoutPadding()::encodeToString)
        .toList();
  }
}
