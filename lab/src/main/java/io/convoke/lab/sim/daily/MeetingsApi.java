package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.Meeting;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Meeting sessions and who attended them; visits shorter than the platform's threshold are missing.
 */
final class MeetingsApi {

  private final World world;
  private final SimTime time;
  private final Duration recorded;

  /**
   * @param recorded how long a visit must last, by this clock, to be listed
   */
  MeetingsApi(World world, SimTime time, Duration recorded) {
    this.world = world;
    this.time = time;
    this.recorded = recorded;
  }

  void register(Web web, Around guard) {
    web.route("GET /v1/meetings", guard, this::list);
    web.route("GET /v1/meetings/{id}", guard, this::get);
    web.route("GET /v1/meetings/{id}/participants", guard, this::participants);
  }

  private Answer list(Call call) {
    Optional<Long> from = seconds(call, "timeframe_start");
    Optional<Long> until = seconds(call, "timeframe_end");
    boolean brief = call.query("no_participants").map("true"::equals).orElse(false);
    if (call.query("timeframe_start").isPresent() != from.isPresent()
        || call.query("timeframe_end").isPresent() != until.isPresent()) {
      return DailyError.INVALID_REQUEST.answer("a timeframe is given in seconds since the epoch");
    }
    Instant now = time.instant();
    List<Meeting> matching =
        world.meetings().stream()
            .filter(m -> call.query("room").map(m.room()::equals).orElse(true))
            .filter(
                m ->
                    call.query("ongoing")
                        .map(o -> o.equals(String.valueOf(m.ongoing())))
                        .orElse(true))
            .filter(m -> from.map(ts -> m.startedAt().getEpochSecond() >= ts).orElse(true))
            .filter(m -> until.map(ts -> m.startedAt().getEpochSecond() <= ts).orElse(true))
            .toList();
    return Pages.answer(call, matching, Meeting::meetingId, m -> wire(m, now, brief));
  }

  private Answer get(Call call) {
    Instant now = time.instant();
    return world
        .meeting(call.path("id"))
        .map(meeting -> Answer.ok(wire(meeting, now, false)))
        .orElseGet(() -> none(call));
  }

  private Answer participants(Call call) {
    OptionalInt limit = Pages.limit(call);
    if (limit.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("limit must be an integer from 1 to 100");
    }
    Optional<Meeting> meeting = world.meeting(call.path("id"));
    if (meeting.isEmpty()) {
      return none(call);
    }
    Instant now = time.instant();
    List<Session> all = attendance(meeting.get(), now);
    int from = 0;
    int until = all.size();
    Optional<String> after = call.query("joined_after");
    if (after.isPresent()) {
      from = Pages.find(all, Session::sessionId, after.get()).orElse(until - 1) + 1;
    }
    Optional<String> before = call.query("joined_before");
    if (before.isPresent()) {
      until = Pages.find(all, Session::sessionId, before.get()).orElse(from);
      from = Math.max(from, until - limit.getAsInt());
    }
    List<Map<String, Object>> page =
        all.subList(from, Math.max(from, until)).stream()
            .limit(limit.getAsInt())
            .map(session -> participant(session, now))
            .toList();
    return page.isEmpty()
        ? DailyError.NOT_FOUND.answer("no more participants")
        : Answer.ok(Fields.of("data", page).map());
  }

  private List<Session> attendance(Meeting meeting, Instant now) {
    return meeting.sessions().stream()
        .filter(session -> session.duration(now).compareTo(recorded) >= 0)
        .toList();
  }

  private Map<String, Object> wire(Meeting meeting, Instant now, boolean brief) {
    Fields fields =
        Fields.of("id", meeting.meetingId())
            .put("room", meeting.room())
            .put("start_time", meeting.startedAt().getEpochSecond())
            .put("duration", meeting.duration(now).toSeconds())
            .put("ongoing", meeting.ongoing())
            .put("max_participants", meeting.maxParticipants());
    if (!brief) {
      fields.put(
          "participants",
          attendance(meeting, now).stream().map(session -> participant(session, now)).toList());
    }
    return fields.map();
  }

  private static Map<String, Object> participant(Session session, Instant now) {
    return Fields.of("user_id", session.visitor().userId())
        .put("participant_id", session.sessionId())
        .put("user_name", session.visitor().userName())
        .put("join_time", session.joinedAt().getEpochSecond())
        .put("duration", session.duration(now).toSeconds())
        .map();
  }

  private static Answer none(Call call) {
    return DailyError.NOT_FOUND.answer("no meeting with id " + call.path("id"));
  }

  private static Optional<Long> seconds(Call call, String name) {
    return call.query(name).filter(value -> value.matches("\\d{1,12}")).map(Long::valueOf);
  }
}
