package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.audio.RecordingFiles;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.Recording;
import io.convoke.lab.sim.world.RecordingRequest;
import io.convoke.lab.sim.world.Room;
import io.convoke.lab.sim.world.RoomView;
import io.convoke.lab.sim.world.World;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Recordings: start, stop, list, look at, and the link to download them by. */
final class RecordingsApi {

  private static final Set<String> TYPES = Set.of("cloud", "cloud-audio-only", "raw-tracks");
  private static final long SHORTEST_LINK = 1;
  private static final long LONGEST_LINK = 12 * 3600;

  private final World world;
  private final SimTime time;
  private final Downloads downloads;

  RecordingsApi(World world, SimTime time, Downloads downloads) {
    this.world = world;
    this.time = time;
    this.downloads = downloads;
  }

  void register(Web web, Around guard) {
    web.route("POST /v1/rooms/{name}/recordings/start", guard, this::start);
    web.route("POST /v1/rooms/{name}/recordings/stop", guard, this::stop);
    web.route("GET /v1/recordings", guard, this::list);
    web.route("GET /v1/recordings/{id}", guard, this::get);
    web.route("GET /v1/recordings/{id}/access-link", guard, this::link);
  }

  private Answer start(Call call) {
    String name = call.path("name");
    Optional<JsonNode> body = call.json();
    Optional<Room> room = world.room(name);
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    if (room.isEmpty()) {
      return DailyError.NOT_FOUND.answer("no room named " + name);
    }
    String configured =
        room.get().config().get("enable_recording") instanceof String type && TYPES.contains(type)
            ? type
            : "cloud";
    String type = Json.string(body.get(), "type").orElse(configured);
    Optional<String> instance = Json.string(body.get(), "instanceId");
    if (!TYPES.contains(type)) {
      return DailyError.INVALID_REQUEST.answer(
          "type must be cloud, cloud-audio-only or raw-tracks");
    }
    if (instance.isPresent()
        && !instance.get().matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")) {
      return DailyError.INVALID_REQUEST.answer("instanceId must be a UUID");
    }
    if (world.look(name).flatMap(RoomView::meetingId).isEmpty()) {
      return DailyError.NOT_FOUND.answer(
          "room " + name + " does not seem to host a call currently");
    }
    RecordingRequest request =
        new RecordingRequest(name, type, instance, Optional.empty(), Recording.Outcome.FINISHED);
    return world
        .startRecording(request)
        .map(recording -> Answer.ok(Map.of()))
        .orElseGet(
            () -> DailyError.INVALID_REQUEST.answer("room " + name + " is being recorded already"));
  }

  private Answer stop(Call call) {
    String name = call.path("name");
    Optional<JsonNode> body = call.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    if (world.room(name).isEmpty()) {
      return DailyError.NOT_FOUND.answer("no room named " + name);
    }
    return world.stopRecording(name, Json.string(body.get(), "instanceId")) > 0
        ? Answer.ok(Map.of())
        : DailyError.INVALID_REQUEST.answer("room " + name + " is not being recorded");
  }

  private Answer list(Call call) {
    List<Recording> matching =
        world.recordings().stream()
            .filter(r -> r.status() != Recording.Status.FAILED)
            .filter(r -> call.query("room_name").map(r.room()::equals).orElse(true))
            .toList();
    return Pages.answer(call, matching, Recording::recordingId, this::wire);
  }

  private Answer get(Call call) {
    return find(call).map(recording -> Answer.ok(wire(recording))).orElseGet(() -> none(call));
  }

  private Answer link(Call call) {
    Optional<Recording> recording = find(call);
    Optional<Long> seconds =
        call.query("valid_for_secs")
            .or(() -> Optional.of("3600"))
            .filter(value -> value.matches("\\d{1,6}"))
            .map(Long::valueOf)
            .filter(value -> value >= SHORTEST_LINK && value <= LONGEST_LINK);
    if (seconds.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("valid_for_secs must be from 1 to 43200");
    }
    if (recording.filter(r -> r.status() == Recording.Status.FINISHED).isEmpty()) {
      return none(call);
    }
    long expires = time.instant().getEpochSecond() + seconds.get();
    String link =
        recording.get().type().equals("raw-tracks")
            ? "Raw tracks have no link: read them from the bucket by their s3Key."
            : downloads.link(recording.get(), expires);
    return Answer.ok(Fields.of("download_link", link).put("expires", expires).map());
  }

  private Optional<Recording> find(Call call) {
    return world
        .recording(call.path("id"))
        .filter(recording -> recording.status() != Recording.Status.FAILED);
  }

  private static Answer none(Call call) {
    return DailyError.NOT_FOUND.answer("no recording with id " + call.path("id"));
  }

  private Map<String, Object> wire(Recording recording) {
    boolean over = recording.status() != Recording.Status.IN_PROGRESS;
    return Fields.of("id", recording.recordingId())
        .put("room_name", recording.room())
        .put("start_ts", recording.startedAt().getEpochSecond())
        .put("status", status(recording.status()))
        .put("max_participants", recording.maxParticipants())
        .putIfPresent(
            "duration",
            Optional.of(recording.duration(time.instant()).toSeconds()).filter(d -> over))
        .putNull("share_token")
        .put("s3key", RecordingFiles.key(recording))
        .put("mtgSessionId", recording.meetingId())
        .put("tracks", RecordingFiles.tracks(recording).filter(tracks -> over))
        .map();
  }

  private static String status(Recording.Status status) {
    return switch (status) {
      case IN_PROGRESS -> "in-progress";
      case FINISHED -> "finished";
      case CANCELED, FAILED -> "canceled";
    };
  }
}
