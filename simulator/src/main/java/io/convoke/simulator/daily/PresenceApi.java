package io.convoke.simulator.daily;

import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSwitches;
import io.convoke.simulator.http.JsonObjectBuilder;
import io.convoke.simulator.http.RequestFilter;
import io.convoke.simulator.http.SimHttpServer;
import io.convoke.simulator.http.SimJson;
import io.convoke.simulator.http.SimRequest;
import io.convoke.simulator.http.SimResponse;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.time.SimulationClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;

/** Presence with its lag: of the whole domain, or of one room. */
public final class PresenceApi {

  /** Rows of a room without {@code limit}. */
  private static final int ROWS = 100;

  private static final Duration LONGEST_LAG = Duration.ofSeconds(15);

  private final SimulationState simulationState;
  private final SimulationClock time;
  private final FaultSwitches faultSwitches;
  private final AtomicLong asked = new AtomicLong();
  private volatile Duration lag = Duration.ZERO;
  private volatile Duration timeError = Duration.ZERO;
  private volatile int most = Integer.MAX_VALUE;

  PresenceApi(SimulationState simulationState, SimulationClock time, FaultSwitches faultSwitches) {
    this.simulationState = simulationState;
    this.time = time;
    this.faultSwitches = faultSwitches;
  }

  /** How old every answer is. */
  public Duration lag() {
    return lag;
  }

  /** Sets the age of every response; at most 15 s, as Daily documents. */
  public void lag(Duration age) {
    if (age.isNegative() || age.compareTo(LONGEST_LAG) > 0) {
      throw new IllegalArgumentException("presence lags by 0 to 15 s, not " + age);
    }
    lag = age;
  }

  /** How far {@code joinTime} may be from the moment of the join, in either direction. */
  public Duration timeError() {
    return timeError;
  }

  /** Sets how far {@code joinTime} may be off; Daily's times are coarse, up to about 15 s. */
  public void timeError(Duration most) {
    if (most.isNegative() || most.compareTo(LONGEST_LAG) > 0) {
      throw new IllegalArgumentException("times of presence are off by 0 to 15 s, not " + most);
    }
    timeError = most;
  }

  /** Sets how many rows an answer about a room has at most, whatever its {@code limit} is. */
  public void most(int rows) {
    most = rows;
  }

  void register(SimHttpServer simHttpServer, RequestFilter guard) {
    simHttpServer.route("GET /v1/presence", guard, this::domain);
    simHttpServer.route("GET /v1/rooms/{name}/presence", guard, this::room);
  }

  private SimResponse domain(SimRequest simRequest) {
    String key = "presence#" + asked.incrementAndGet();
    Instant now = time.instant();
    List<RoomSession> all = new ArrayList<>();
    simulationState.presence(moment(simRequest, key, now)).values().forEach(all::addAll);
    Map<String, List<Object>> byRoom = new LinkedHashMap<>();
    for (RoomSession roomSession : mangled(simRequest, key, all)) {
      byRoom
          .computeIfAbsent(roomSession.room(), room -> new ArrayList<>())
          .add(entry(roomSession, now));
    }
    return SimResponse.ok(byRoom);
  }

  private SimResponse room(SimRequest simRequest) {
    String name = simRequest.path("name");
    String key = name + "#" + asked.incrementAndGet();
    Instant now = time.instant();
    OptionalInt limit = DailyPaging.positive(simRequest, "limit", ROWS);
    if (limit.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("limit must be a positive integer");
    }
    Optional<List<RoomSession>> found =
        simulationState.presence(name, moment(simRequest, key, now));
    if (found.isEmpty()) {
      return DailyError.NOT_FOUND.answer("no room named " + name);
    }
    List<RoomSession> matching = found.get().stream().filter(s -> matches(simRequest, s)).toList();
    boolean empty = faultSwitches.hits(FaultKind.PRESENCE_EMPTY, simRequest.route(), key);
    List<?> data =
        mangled(simRequest, key, matching).stream()
            .limit(Math.min(most, limit.getAsInt()))
            .map(roomSession -> entry(roomSession, now))
            .toList();
    return SimResponse.ok(
        JsonObjectBuilder.of("total_count", empty ? 0 : matching.size()).put("data", data).map());
  }

  private Instant moment(SimRequest simRequest, String key, Instant now) {
    Duration age =
        faultSwitches
            .strike(FaultKind.PRESENCE_STALE, simRequest.route(), key)
            .filter(stale -> stale.compareTo(lag) > 0)
            .orElse(lag);
    return now.minus(age);
  }

  /** What faults leave of a snapshot. */
  private List<RoomSession> mangled(SimRequest simRequest, String key, List<RoomSession> all) {
    if (faultSwitches.strike(FaultKind.PRESENCE_EMPTY, simRequest.route(), key).isPresent()) {
      return List.of();
    }
    return faultSwitches.strike(FaultKind.PRESENCE_TRUNCATED, simRequest.route(), key).isPresent()
        ? all.subList(0, all.size() / 2)
        : all;
  }

  private boolean matches(SimRequest simRequest, RoomSession roomSession) {
    return simRequest
            .query("userId")
            .map(id -> roomSession.visitor().userId().equals(Optional.of(id)))
            .orElse(true)
        && simRequest
            .query("userName")
            .map(n -> roomSession.visitor().userName().equals(Optional.of(n)))
            .orElse(true);
  }

  /** The coarse time of a join: the same in every answer, other for every session, never ahead. */
  private Instant joinTime(RoomSession roomSession, Instant now) {
    long most = timeError.toMillis();
    long off = Math.floorMod((long) roomSession.sessionId().hashCode(), 2 * most + 1) - most;
    Instant reported = roomSession.joinedAt().plusMillis(off);
    return off > 0 && reported.isAfter(now) ? now : reported;
  }

  private Map<String, Object> entry(RoomSession roomSession, Instant now) {
    boolean nameless =
        faultSwitches.hits(FaultKind.NULL_NAMES, roomSession.room(), roomSession.label());
    return JsonObjectBuilder.of("room", roomSession.room())
        .put("id", roomSession.sessionId())
        .put("userId", roomSession.visitor().userId())
        .put("userName", nameless ? Optional.empty() : roomSession.visitor().userName())
        .put("mtgSessionId", roomSession.meetingId())
        .put("joinTime", SimJson.time(joinTime(roomSession, now)))
        .put("duration", Duration.between(roomSession.joinedAt(), now).toSeconds())
        .map();
  }
}
