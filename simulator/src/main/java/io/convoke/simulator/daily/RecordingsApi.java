package io.convoke.simulator.daily;

import io.convoke.simulator.audio.RecordingFiles;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.Recording;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.Room;
import io.convoke.simulator.state.RoomView;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.time.SimulationClock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Recordings: start, stop, list, get, and the download link. */
final class RecordingsApi {

  private static final Set<String> TYPES = Set.of("cloud", "cloud-audio-only", "raw-tracks");
  private static final long SHORTEST_LINK = 1;
  private static final long LONGEST_LINK = 12 * 3600;

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final DownloadsApi downloadsApi;

  RecordingsApi(SimulationState simulationState, SimulationClock time, DownloadsApi downloadsApi) {
    this.simulationState = simulationState;
    this.time = time;
    this.downloadsApi = downloadsApi;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route("POST /v1/rooms/{name}/recordings/start", guard, this::start);
    simHttpServer.route("POST /v1/rooms/{name}/recordings/stop", guard, this::stop);
    simHttpServer.route("GET /v1/recordings", guard, this::list);
    simHttpServer.route("GET /v1/recordings/{id}", guard, this::get);
    simHttpServer.route("GET /v1/recordings/{id}/access-link", guard, this::link);
  }

  private SimResponse start(SimRequest simRequest) {
    String name = simRequest.path("name");
    Optional<JsonNode> body = simRequest.json();
    Optional<Room> room = simulationState.room(name);
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
    String type = SimJson.string(body.get(), "type").orElse(configured);
    Optional<String> instance = SimJson.string(body.get(), "instanceId");
    if (!TYPES.contains(type)) {
      return DailyError.INVALID_REQUEST.answer(
          "type must be cloud, cloud-audio-only or raw-tracks");
    }
    if (instance.isPresent()
        && !instance.get().matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")) {
      return DailyError.INVALID_REQUEST.answer("instanceId must be a UUID");
    }
    if (simulationState.roomViews(name).flatMap(RoomView::meetingId).isEmpty()) {
      return DailyError.NOT_FOUND.answer(
          "room " + name + " does not seem to host a call currently");
    }
    RecordingRequest request =
        new RecordingRequest(
            name, type, instance, Optional.empty(), Recording.RecordingOutcome.FINISHED);
    return simulationState
        .startRecording(request)
        .map(recording -> SimResponse.ok(Map.of()))
        .orElseGet(
            () -> DailyError.INVALID_REQUEST.answer("room " + name + " is being recorded already"));
  }

  private SimResponse stop(SimRequest simRequest) {
    String name = simRequest.path("name");
    Optional<JsonNode> body = simRequest.json();
    if (body.isEmpty()) {
      return DailyError.JSON_PARSING.answer("the body is not a JSON object");
    }
    if (simulationState.room(name).isEmpty()) {
      return DailyError.NOT_FOUND.answer("no room named " + name);
    }
    return simulationState.stopRecording(name, SimJson.string(body.get(), "instanceId")) > 0
        ? SimResponse.ok(Map.of())
        : DailyError.INVALID_REQUEST.answer("room " + name + " is not being recorded");
  }

  private SimResponse list(SimRequest simRequest) {
    List<Recording> matching =
        simulationState.recordings().stream()
            .filter(r -> r.status() != Recording.RecordingStatus.FAILED)
            .filter(r -> simRequest.query("room_name").map(r.room()::equals).orElse(true))
            .toList();
    return DailyPaging.answer(simRequest, matching, Recording::recordingId, this::wire);
  }

  private SimResponse get(SimRequest simRequest) {
    return find(simRequest)
        .map(recording -> SimResponse.ok(wire(recording)))
        .orElseGet(() -> none(simRequest));
  }

  private SimResponse link(SimRequest simRequest) {
    Optional<Recording> recording = find(simRequest);
    Optional<Long> seconds =
        simRequest
            .query("valid_for_secs")
            .or(() -> Optional.of("3600"))
            .filter(value -> value.matches("\\d{1,6}"))
            .map(Long::valueOf)
            .filter(value -> value >= SHORTEST_LINK && value <= LONGEST_LINK);
    if (seconds.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("valid_for_secs must be from 1 to 43200");
    }
    if (recording.filter(r -> r.status() == Recording.RecordingStatus.FINISHED).isEmpty()) {
      return none(simRequest);
    }
    long expires = time.instant().getEpochSecond() + seconds.get();
    String link =
        recording.get().type().equals("raw-tracks")
            ? "Raw tracks have no link: read them from the bucket by their s3Key."
            : downloadsApi.link(recording.get(), expires);
    return SimResponse.ok(
        JsonObjectBuilder.of("download_link", link).put("expires", expires).map());
  }

  private Optional<Recording> find(SimRequest simRequest) {
    return simulationState
        .recording(simRequest.path("id"))
        .filter(recording -> recording.status() != Recording.RecordingStatus.FAILED);
  }

  private static SimResponse none(SimRequest simRequest) {
    return DailyError.NOT_FOUND.answer("no recording with id " + simRequest.path("id"));
  }

  private Map<String, Object> wire(Recording recording) {
    boolean over = recording.status() != Recording.RecordingStatus.IN_PROGRESS;
    return JsonObjectBuilder.of("id", recording.recordingId())
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
        .put("tracks", over ? RecordingFiles.tracks(recording) : Optional.empty())
        .map();
  }

  private static String status(Recording.RecordingStatus recordingStatus) {
    return switch (recordingStatus) {
      case IN_PROGRESS -> "in-progress";
      case FINISHED -> "finished";
      case CANCELED, FAILED -> "canceled";
    };
  }
}
