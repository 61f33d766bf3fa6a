package io.convoke.server.platform.janus;

import io.convoke.server.platform.DomainPresence;
import io.convoke.server.platform.MeetingAttendance;
import io.convoke.server.platform.Participant;
import io.convoke.server.platform.PlatformClient;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RoomActivity;
import io.convoke.server.platform.RoomAddress;
import io.convoke.server.platform.RoomPresence;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The rooms of a Janus as a {@link PlatformClient}. {@code listparticipants} is complete and of
 * this moment; it has no times, so a participant counts as joined at the time of the answer until
 * an event says when. Subscribers without a publisher handle are in no list; the dummy publisher
 * that Janus makes in some rooms is in it, and is no participant. Rooms live in the memory of
 * Janus: after a restart it has none. Janus keeps no history.
 */
public final class JanusClient implements PlatformClient {
  private final JanusAdmin admin;
  private final InstantSource time;

  public JanusClient(JanusAdmin admin, InstantSource time) {
    this.admin = admin;
    this.time = time;
  }

  @Override
  public String name() {
    return "janus";
  }

  @Override
  public RoomPresence presence(String room) {
    Instant fetchedAt = time.instant();
    return switch (admin.send("listparticipants", Map.of("room", room))) {
      case JanusReply.JanusCallFailed(PlatformError outage) ->
          new RoomPresence.RoomPresenceUnknown(outage, fetchedAt);
      case JanusReply.JanusRefusal(int code, String _) ->
          code == JanusAdmin.NO_SUCH_ROOM
              ? new RoomPresence.RoomMissing(fetchedAt)
              : new RoomPresence.RoomPresenceUnknown(refused(), fetchedAt);
      case JanusReply.JanusAnswer(JsonNode answer) ->
          participants(answer, fetchedAt)
              .<RoomPresence>map(all -> new RoomPresence.RoomPresenceComplete(all, fetchedAt))
              .orElseGet(() -> new RoomPresence.RoomPresenceUnknown(malformed(), fetchedAt));
    };
  }

  /** Asks for the rooms, private ones included, then for the participants of those in use. */
  @Override
  public DomainPresence presence() {
    Instant fetchedAt = time.instant();
    return switch (admin.sendAhead("list", Map.of("admin_key", admin.adminKey()))) {
      case JanusReply.JanusCallFailed(PlatformError outage) ->
          new DomainPresence.DomainPresenceUnknown(outage, fetchedAt);
      case JanusReply.JanusRefusal _ ->
          new DomainPresence.DomainPresenceUnknown(refused(), fetchedAt);
      case JanusReply.JanusAnswer(JsonNode answer) -> inUse(answer.path("list"), fetchedAt);
    };
  }

  private DomainPresence inUse(JsonNode list, Instant fetchedAt) {
    if (!list.isArray()) {
      return new DomainPresence.DomainPresenceUnknown(malformed(), fetchedAt);
    }
    Map<String, List<Participant>> rooms = new HashMap<>();
    for (JsonNode room : list) {
      String name = JanusAdmin.id(room.path("room"));
      if (room.path("num_participants").asInt(1) == 0) {
        continue;
      }
      switch (presence(name)) {
        case RoomPresence.RoomPresenceComplete(List<Participant> participants, Instant _) ->
            rooms.put(name, participants);
        case RoomPresence.RoomMissing _ -> {} // Destroyed after the list was made.
        case RoomPresence.RoomPresencePartial _ -> throw new IllegalStateException("no pages");
        case RoomPresence.RoomPresenceUnknown(PlatformError outage, Instant _) -> {
          return new DomainPresence.DomainPresenceUnknown(outage, fetchedAt);
        }
      }
    }
    return new DomainPresence.DomainPresenceKnown(rooms, fetchedAt);
  }

  @Override
  public RoomActivity activity(String room) {
    return switch (presence(room)) {
      case RoomPresence.RoomPresenceUnknown(PlatformError outage, Instant _) ->
          new RoomActivity.RoomActivityUnknown(outage);
      case RoomPresence.RoomMissing _ ->
          new RoomActivity.RoomActivityUnknown(PlatformError.of(PlatformErrorKind.NOT_FOUND));
      case RoomPresence known ->
          known.participants().isEmpty()
              ? new RoomActivity.RoomEmpty(known.fetchedAt())
              : new RoomActivity.RoomMeetingOngoing(known.fetchedAt());
    };
  }

  /** No attendees: Janus keeps no history. */
  @Override
  public MeetingAttendance attendance(String session) {
    return new MeetingAttendance.AttendanceKnown(List.of());
  }

  /** None: Janus has no pages. */
  @Override
  public RoomAddress roomAddress(String room) {
    return RoomAddress.none();
  }

  /** The participants of an answer; empty if one of them could not be read. */
  private static Optional<List<Participant>> participants(JsonNode answer, Instant at) {
    if (!answer.path("participants").isArray()) {
      return Optional.empty();
    }
    Map<String, Participant> found = new LinkedHashMap<>();
    for (JsonNode one : answer.path("participants")) {
      if (one.path("dummy").asBoolean(false)) {
        continue;
      }
      String id = JanusAdmin.id(one.path("id"));
      if (id.isEmpty()) {
        return Optional.empty();
      }
      found.putIfAbsent(id, new Participant(id, Optional.empty(), JanusAdmin.display(one), at));
    }
    return Optional.of(new ArrayList<>(found.values()));
  }

  private static PlatformError refused() {
    return PlatformError.of(PlatformErrorKind.REFUSED);
  }

  private static PlatformError malformed() {
    return PlatformError.of(PlatformErrorKind.MALFORMED);
  }
}
