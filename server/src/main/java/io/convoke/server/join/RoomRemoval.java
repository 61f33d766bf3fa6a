package io.convoke.server.join;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.sql.Database;
import io.convoke.server.join.JanusRoomKeys.RoomKey;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Removes rooms of our making at Janus that were not used for ten minutes: Janus keeps rooms until
 * it restarts, and presence reads the list of all. The next join by a link makes a room again, with
 * the same secret, PIN and rule of recording. Any number of servers may do it.
 *
 * <p>Janus removes a room with those who are in it, so it is asked who is there while the room is
 * closed, which keeps out who comes by a link. A server that is killed leaves the row, which is
 * open again after ten seconds, and a later round finds the room again.
 */
public final class RoomRemoval implements AutoCloseable {
  private static final Duration ROUND = Duration.ofSeconds(30);

  /** The wait after a round that may have left unused rooms. */
  private static final Duration BACKLOG = Duration.ofSeconds(1);

  /** Rooms of a round, three calls each: the wait leaves room for other calls to Janus. */
  private static final int ROOMS_MAX = 100;

  /** When the last call begins at most, after the room was closed; it takes five seconds. */
  private static final Duration BEGUN_WITHIN = Duration.ofSeconds(4);

  private final JanusRooms rooms;
  private final JanusAdmin admin;
  private final JanusRoomKeys keys;
  private final JanusClient client;
  private final PeriodicTask task = new PeriodicTask("room-removal", ROUND, this::round);

  /** Removes rooms at this Janus, whose keys derive from {@code secrets}. */
  public RoomRemoval(JanusAdmin admin, SecretBox secrets, Database database) {
    this.rooms = new JanusRooms(database);
    this.admin = admin;
    this.keys = new JanusRoomKeys(admin, secrets);
    this.client = new JanusClient(admin, InstantSource.system());
  }

  /** What came of one room. */
  private enum RoomRemovalResult {
    /** Janus has no room of our making by this name. */
    GONE,
    /** It is in use, or Janus refuses. */
    KEPT,
    /** Janus did not answer, or not in time. */
    NO_ANSWER
  }

  /** Starts the rounds. */
  public void start() {
    task.start();
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() {
    return run() ? BACKLOG : ROUND;
  }

  /** One round, which ends where Janus does not answer; true if there may be more to remove. */
  public boolean run() {
    List<String> unused = rooms.unused(ROOMS_MAX);
    for (String room : unused) {
      if (task.closed() || !answered(room)) {
        return false;
      }
    }
    return unused.size() == ROOMS_MAX;
  }

  /** Removes a room that is empty still; false if Janus does not answer. */
  private boolean answered(String room) {
    long closedAt = System.nanoTime();
    if (!rooms.close(room)) {
      return true;
    }
    RoomRemovalResult result = remove(room, closedAt);
    switch (result) {
      case GONE -> rooms.forget(room);
      case KEPT -> rooms.open(room);
      // Janus may still remove it: it stays closed for its ten seconds.
      case NO_ANSWER -> {}
    }
    return result != RoomRemovalResult.NO_ANSWER;
  }

  private RoomRemovalResult remove(String room, long closedAt) {
    RoomKey wrong = new RoomKey(UUID.randomUUID().toString(), "");
    return switch (keys.check(room, wrong)) {
      case NO_ROOM -> RoomRemovalResult.GONE;
      // A room without a secret opens with any: it is not ours.
      case FITS -> RoomRemovalResult.GONE;
      case UNKNOWN -> RoomRemovalResult.NO_ANSWER;
      case WRONG ->
          switch (client.presence(room)) {
            case RoomPresence.RoomMissing _ -> RoomRemovalResult.GONE;
            case RoomPresence.RoomPresenceComplete(List<Participant> there, Instant _) ->
                there.isEmpty() ? destroy(room, closedAt) : RoomRemovalResult.KEPT;
            case RoomPresence.RoomPresencePartial _, RoomPresence.RoomPresenceUnknown _ ->
                RoomRemovalResult.NO_ANSWER;
          };
    };
  }

  private RoomRemovalResult destroy(String room, long closedAt) {
    for (RoomKey key : keys.of(room)) {
      if (System.nanoTime() - closedAt > BEGUN_WITHIN.toNanos()) {
        return RoomRemovalResult.NO_ANSWER;
      }
      switch (admin.send("destroy", Map.of("room", room, "secret", key.secret()))) {
        case JanusReply.JanusAnswer _ -> {
          return RoomRemovalResult.GONE;
        }
        case JanusReply.JanusRefusal(int code, String _) -> {
          if (code != JanusAdmin.UNAUTHORIZED) {
            return code == JanusAdmin.NO_SUCH_ROOM
                ? RoomRemovalResult.GONE
                : RoomRemovalResult.KEPT;
          }
        }
        case JanusReply.JanusCallFailed _ -> {
          return RoomRemovalResult.NO_ANSWER;
        }
      }
    }
    return RoomRemovalResult.GONE;
  }
}
