package io.convoke.agent.snapshot;

import io.convoke.agent.room.RoomEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The participants of the room and the speakers, from its events. Deterministic: the time is passed
 * in, in monotonic nanoseconds.
 */
final class RoomState {
  /** A participant counts as speaking for so long after their last caption. */
  static final Duration SPEAKS_FOR = Duration.ofSeconds(5);

  private final String self;
  private final Map<String, RoomParticipant> people = new LinkedHashMap<>();
  private String speaker = "";
  private long spokeAt;
  private boolean open;
  private long aloneSince;
  private boolean everOccupied;

  private record RoomParticipant(String sessionId, String userId, String name) {
    String key() {
      return userId.isEmpty() ? sessionId : userId;
    }
  }

  RoomState(String self, long now) {
    this.self = self;
    this.aloneSince = now;
  }

  /** Takes an event in. */
  void see(RoomEvent event, long now) {
    boolean alone = people.isEmpty();
    switch (event.name()) {
      case "snapshot" -> {
        open = event.text("state").equals("in_meeting");
        people.clear();
        event.data().path("participants").forEach(this::add);
      }
      case "participant-joined" -> add(event.data());
      case "participant-left" -> people.remove(event.text("session_id"));
      case "caption" -> {
        speaker = event.text("session_id");
        spokeAt = now;
      }
      default -> {}
    }
    everOccupied |= !people.isEmpty();
    if (!alone && people.isEmpty()) {
      aloneSince = now;
    }
  }

  /** Whether the guest was admitted and has received the participant list. */
  boolean open() {
    return open;
  }

  /** The remaining time to stay in an empty room; unlimited while a participant is there. */
  Optional<Duration> patience(Duration emptyRoomTimeout, Duration lastLeftTimeout, long now) {
    Duration limit = everOccupied ? lastLeftTimeout : emptyRoomTimeout;
    return people.isEmpty()
        ? Optional.of(Duration.ofNanos(aloneSince + limit.toNanos() - now))
        : Optional.empty();
  }

  /**
   * The tiles of a picture. All people in the order of their coming, or those with these user ids
   * in the order of the ids; in a spotlight the last speaker comes first.
   */
  List<SnapshotTile> tiles(TileLayout tileLayout, List<String> userIds, long now) {
    List<RoomParticipant> chosen = new ArrayList<>();
    if (userIds.isEmpty()) {
      chosen.addAll(people.values());
    } else {
      for (String id : userIds) {
        people.values().stream()
            .filter(roomParticipant -> roomParticipant.userId().equals(id))
            .forEach(chosen::add);
      }
    }
    if (tileLayout == TileLayout.SPOTLIGHT) {
      chosen.sort(
          (one, other) ->
              Boolean.compare(other.sessionId().equals(speaker), one.sessionId().equals(speaker)));
    }
    return chosen.stream().map(roomParticipant -> tile(roomParticipant, now)).toList();
  }

  private SnapshotTile tile(RoomParticipant roomParticipant, long now) {
    boolean speaking =
        roomParticipant.sessionId().equals(speaker) && now - spokeAt < SPEAKS_FOR.toNanos();
    return new SnapshotTile(roomParticipant.key(), roomParticipant.name(), speaking);
  }

  private void add(JsonNode person) {
    String sessionId = person.path("session_id").asString("");
    if (!sessionId.isEmpty() && !sessionId.equals(self)) {
      people.put(
          sessionId,
          new RoomParticipant(
              sessionId,
              person.path("user_id").asString(""),
              person.path("user_name").asString("")));
    }
  }
}
