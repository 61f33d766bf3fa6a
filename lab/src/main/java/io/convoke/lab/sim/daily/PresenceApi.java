package io.convoke.lab.sim.daily;

import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.fault.Faults;
import io.convoke.lab.sim.http.Answer;
import io.convoke.lab.sim.http.Around;
import io.convoke.lab.sim.http.Call;
import io.convoke.lab.sim.http.Fields;
import io.convoke.lab.sim.http.Json;
import io.convoke.lab.sim.http.Web;
import io.convoke.lab.sim.time.SimTime;
import io.convoke.lab.sim.world.Session;
import io.convoke.lab.sim.world.World;
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

  private static final Duration LONGEST_LAG = Duration.ofSeconds(15);

  private final World world;
  private final SimTime time;
  private final Faults faults;
  private final AtomicLong asked = new AtomicLong();
  private volatile Duration lag = Duration.ZERO;
  private volatile Duration timeError = Duration.ZERO;

  PresenceApi(World world, SimTime time, Faults faults) {
    this.world = world;
    this.time = time;
    this.faults = faults;
  }

  /** How old every answer is. */
  public Duration lag() {
    return lag;
  }

  /** Sets how old every answer is; at most 15 s, as Daily says of itself. */
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

  void register(Web web, Around guard) {
    web.route("GET /v1/presence", guard, this::domain);
    web.route("GET /v1/rooms/{name}/presence", guard, this::room);
  }

  private Answer domain(Call call) {
    String key = "presence#" + asked.incrementAndGet();
    Instant now = time.instant();
    List<Session> all = new ArrayList<>();
    world.presence(moment(call, key, now)).values().forEach(all::addAll);
    Map<String, List<Object>> byRoom = new LinkedHashMap<>();
    for (Session session : mangled(call, key, all)) {
      byRoom.computeIfAbsent(session.room(), room -> new ArrayList<>()).add(entry(session, now));
    }
    return Answer.ok(byRoom);
  }

  private Answer room(Call call) {
    String name = call.path("name");
    String key = name + "#" + asked.incrementAndGet();
    Instant now = time.instant();
    OptionalInt limit = Pages.positive(call, "limit", Integer.MAX_VALUE);
    if (limit.isEmpty()) {
      return DailyError.INVALID_REQUEST.answer("limit must be a positive integer");
    }
    Optional<List<Session>> found = world.presence(name, moment(call, key, now));
    if (found.isEmpty()) {
      return DailyError.NOT_FOUND.answer("no room named " + name);
    }
    List<Session> matching = found.get().stream().filter(s -> matches(call, s)).toList();
    boolean empty = faults.hits(FaultKind.PRESENCE_EMPTY, call.route(), key);
    List<?> data =
        mangled(call, key, matching).stream()
            .limit(limit.getAsInt())
            .map(session -> entry(session, now))
            .toList();
    return Answer.ok(Fields.of("total_count", empty ? 0 : matching.size()).put("data", data).map());
  }

  private Instant moment(Call call, String key, Instant now) {
    Duration age =
        faults
            .strike(FaultKind.PRESENCE_STALE, call.route(), key)
            .filter(stale -> stale.compareTo(lag) > 0)
            .orElse(lag);
    return now.minus(age);
  }

  /** What faults leave of a snapshot. */
  private List<Session> mangled(Call call, String key, List<Session> all) {
    if (faults.strike(FaultKind.PRESENCE_EMPTY, call.route(), key).isPresent()) {
      return List.of();
    }
    return faults.strike(FaultKind.PRESENCE_TRUNCATED, call.route(), key).isPresent()
        ? all.subList(0, all.size() / 2)
        : all;
  }

  private boolean matches(Call call, Session session) {
    return call.query("userId")
            .map(id -> session.visitor().userId().equals(Optional.of(id)))
            .orElse(true)
        && call.query("userName")
            .map(n -> session.visitor().userName().equals(Optional.of(n)))
            .orElse(true);
  }

  /** The coarse time of a join: the same in every answer, other for every session, never ahead. */
  private Instant joinTime(Session session, Instant now) {
    long most = timeError.toMillis();
    long off = Math.floorMod((long) session.sessionId().hashCode(), 2 * most + 1) - most;
    Instant told = session.joinedAt().plusMillis(off);
    return off > 0 && told.isAfter(now) ? now : told;
  }

  private Map<String, Object> entry(Session session, Instant now) {
    boolean nameless = faults.hits(FaultKind.NULL_NAMES, session.room(), session.label());
    return Fields.of("room", session.room())
        .put("id", session.sessionId())
        .put("userId", session.visitor().userId())
        .put("userName", nameless ? Optional.empty() : session.visitor().userName())
        .put("mtgSessionId", session.meetingId())
        .put("joinTime", Json.time(joinTime(session, now)))
        .put("duration", Duration.between(session.joinedAt(), now).toSeconds())
        .map();
  }
}
