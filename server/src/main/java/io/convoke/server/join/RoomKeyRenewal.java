package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.join.JanusRoomKeys.RoomKey;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * Gives each room of a Janus that an older key of {@code CONVOKE_SECRET_KEY} made the secret and
 * the PIN of the first key, after a rotation. Who is in a room stays, and a room of others stays as
 * it is. Each room changes at once or not at all: a run may be interrupted, repeated and beside
 * another one, and servers that have both keys notice nothing.
 */
public final class RoomKeyRenewal {
  private final JanusAdmin admin;
  private final JanusRoomKeys keys;

  /** {@code secrets}: the first key is the one that stays. */
  public RoomKeyRenewal(JanusAdmin admin, SecretBox secrets) {
    this.admin = admin;
    this.keys = new JanusRoomKeys(admin, secrets);
  }

  /**
   * The state after a run.
   *
   * @param renewed rooms that have the first key since this run
   * @param inUse rooms that keep an older key, because a pod has it
   * @param complete false if Janus did not say of every room whether it has an older key
   */
  public record RenewedRooms(int renewed, int inUse, boolean complete) {}

  /** What came of one room. */
  private enum RoomRenewal {
    UNCHANGED,
    RENEWED,
    IN_USE,
    REFUSED,
    NO_ANSWER
  }

  /**
   * Renews the rooms.
   *
   * @param known rooms that may be ours; those that Janus lists are added, which are all unless it
   *     has no {@code admin_key} and so hides private ones
   * @param inUse whether a pod has a room's secret, and needs it until its task has ended; asked
   *     right before a room is changed
   */
  public RenewedRooms run(Collection<String> known, Predicate<String> inUse) {
    if (!(admin.send("list", Map.of("admin_key", admin.adminKey()))
            instanceof JanusReply.JanusAnswer(JsonNode answer))
        || !answer.path("list").isArray()) {
      return new RenewedRooms(0, 0, false);
    }
    Set<String> rooms = new LinkedHashSet<>(known);
    answer.path("list").forEach(listed -> rooms.add(listed.path("room").asString("")));
    int renewed = 0;
    int kept = 0;
    boolean complete = true;
    for (String room : rooms) {
      switch (renew(room, inUse)) {
        case UNCHANGED -> {}
        case RENEWED -> renewed++;
        case IN_USE -> kept++;
        case REFUSED -> complete = false;
        case NO_ANSWER -> {
          return new RenewedRooms(renewed, kept, false);
        }
      }
    }
    return new RenewedRooms(renewed, kept, complete);
  }

  private RoomRenewal renew(String room, Predicate<String> inUse) {
    List<RoomKey> all = keys.of(room);
    return switch (keys.check(room, all.getFirst())) {
      // Every key fits a room without a secret, which is not of our making.
      case FITS, NO_ROOM -> RoomRenewal.UNCHANGED;
      case UNKNOWN -> RoomRenewal.NO_ANSWER;
      case WRONG -> renewOlder(room, all, inUse);
    };
  }

  private RoomRenewal renewOlder(String room, List<RoomKey> all, Predicate<String> inUse) {
    boolean used = inUse.test(room);
    for (RoomKey older : all.subList(1, all.size())) {
      RoomRenewal renewal = used ? keep(room, older) : edit(room, older, all.getFirst());
      if (renewal != RoomRenewal.UNCHANGED) {
        return renewal;
      }
    }
    return RoomRenewal.UNCHANGED;
  }

  private RoomRenewal keep(String room, RoomKey older) {
    return switch (keys.check(room, older)) {
      case FITS -> RoomRenewal.IN_USE;
      case WRONG, NO_ROOM -> RoomRenewal.UNCHANGED;
      case UNKNOWN -> RoomRenewal.NO_ANSWER;
    };
  }

  private RoomRenewal edit(String room, RoomKey older, RoomKey newest) {
    Map<String, String> fields =
        Map.of(
            "room",
            room,
            "secret",
            older.secret(),
            "new_secret",
            newest.secret(),
            "new_pin",
            newest.pin());
    return switch (admin.send("edit", fields)) {
      case JanusReply.JanusAnswer _ -> RoomRenewal.RENEWED;
      case JanusReply.JanusRefusal(int code, String _) ->
          switch (code) {
            case JanusAdmin.UNAUTHORIZED, JanusAdmin.NO_SUCH_ROOM -> RoomRenewal.UNCHANGED;
            default -> RoomRenewal.REFUSED;
          };
      case JanusReply.JanusCallFailed _ -> RoomRenewal.NO_ANSWER;
    };
  }
}
