package io.convoke.simulator.daily;

import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.Meeting;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.SimulationTimings;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Meeting sessions and who attended them, with coarse times; visits shorter than the platform's
 * threshold are missing. Source of the rules: docs.daily.co/reference/rest-api/meetings.
 */
final class MeetingsApi {

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final Duration recorded;
  private final long granularityMillis;

  /**
   * @param timings the shortest visit that is listed, and the granularity of times
   */
  MeetingsApi(SimulationState simulationState, SimulationClock time, SimulationTimings timings) {
    this.simulationState = simulationState;
    this.time = time;
    this.recorded = time.scaled(timings.recorded());
    this.granularityMillis = Math.max(1, time.scaled(timings.granularity()).toMillis());
  }

  /** The time as it is reported, in seconds since the epoch. */
  private long coarse(Instant at) {
    return Math.floorDiv(at.toEpochMilli(), granularityMillis) * granularityMillis / 1000;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route("GET /v1/meetings", guard, this::list);
    simHttpServer.route("GET /v1/meetings/{id}", guard, this::get);
    simHttpServer.route("GET /v1/meetings/{id}/participants", guard, this::participants);
  }

  private SimResponse list(SimRequest simRequest) {
    Optional<Long> from = seconds(simRequest, "timeframe_start");
    Optional<Long> until = seconds(simRequest, "timeframe_end");
    boolean brief = simRequest.query("no_participants").map("true"::equals).orElse(false);
    if (simRequest.query("timeframe_start").isPresent() != from.isPresent()
        || simRequest.query("timeframe_end").isPresent() != until.isPresent()) {
      return DailyError.INVALID_REQUEST.answer("a timeframe is given in seconds since the epoch");
    }
    Instant now = time.instant();
    List<Meeting> matching =
        simulationState.meetings().stream()
            .filter(Meeting::begun)
            .filter(m -> simRequest.query("room").map(m.room()::equals).orElse(true))
            .filter(
                m ->
                    simRequest
                        .query("ongoing")
                        .map(o -> o.equals(String.valueOf(m.ongoing())))
                        .orElse(true))
            .filter(m -> from.map(ts -> coarse(m.startedAt()) >= ts).orElse(true))
            .filter(m -> until.map(ts -> coarse(m.startedAt()) <= ts).orElse(true))
            .toList();
    return DailyPaging.answer(simRequest, matching, Meeting::meetingId, m -> wire(m, now, brief));
  }

  private SimResponse get(SimRequest simRequest) {
    Instant now = time.instant();
    return simulationState
        .meeting(simRequest.path("id"))
        .filter(Meeting::begun)
        .map(meeting -> SimResponse.ok(wire(meeting, now, false)))
        .orElseGet(() -> none(simRequest));
  }

  private SimResponse participants(SimRequest simRequest) {
    OptionalInt limit = DailyPaging.limit(simRequest);
    if (limit.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("limit must be an integer from 1 to 100");
    }
    Optional<Meeting> meeting =
        simulationState.meeting(simRequest.path("id")).filter(Meeting::begun);
    if (meeting.isEmpty()) {
      return none(simRequest);
    }
    Instant now = time.instant();
    List<RoomSession> all = attendance(meeting.get(), now);
    int from = 0;
    int until = all.size();
    Optional<String> after = simRequest.query("joined_after");
    if (after.isPresent()) {
      from = DailyPaging.find(all, RoomSession::sessionId, after.get()).orElse(until - 1) + 1;
    }
    Optional<String> before = simRequest.query("joined_before");
    if (before.isPresent()) {
      until = DailyPaging.find(all, RoomSession::sessionId, before.get()).orElse(from);
      from = Math.max(from, until - limit.getAsInt());
    }
    List<Map<String, Object>> page =
        all.subList(from, Math.max(from, until)).stream()
            .limit(limit.getAsInt())
            .map(roomSession -> participant(roomSession, now))
            .toList();
    return page.isEmpty()
        ? DailyError.NOT_FOUND.answer("no more participants")
        : SimResponse.ok(JsonObjectBuilder.of("data", page).map());
  }

  private List<RoomSession> attendance(Meeting meeting, Instant now) {
    return meeting.sessions().stream()
        .filter(roomSession -> roomSession.duration(now).compareTo(recorded) >= 0)
        .toList();
  }

  private Map<String, Object> wire(Meeting meeting, Instant now, boolean brief) {
    JsonObjectBuilder jsonObjectBuilder =
        JsonObjectBuilder.of("id", meeting.meetingId())
            .put("room", meeting.room())
            .put("start_time", coarse(meeting.startedAt()))
            .put("duration", meeting.duration(now).toSeconds())
            .put("ongoing", meeting.ongoing())
            .put("max_participants", meeting.maxParticipants());
    if (!brief) {
      jsonObjectBuilder.put(
          "participants",
          attendance(meeting, now).stream()
              .map(roomSession -> participant(roomSession, now))
              .toList());
    }
    return jsonObjectBuilder.map();
  }

  private Map<String, Object> participant(RoomSession roomSession, Instant now) {
    return JsonObjectBuilder.of("user_id", roomSession.visitor().userId())
        .put("participant_id", roomSession.sessionId())
        .put("user_name", roomSession.visitor().userName())
        .put("join_time", coarse(roomSession.joinedAt()))
        .put("duration", roomSession.duration(now).toSeconds())
        .map();
  }

  private static SimResponse none(SimRequest simRequest) {
    return DailyError.NOT_FOUND.answer("no meeting with id " + simRequest.path("id"));
  }

  private static Optional<Long> seconds(SimRequest simRequest, String name) {
    return simRequest.query(name).filter(value -> value.matches("\\d{1,12}")).map(Long::valueOf);
  }
}
