package io.convoke.chaos.presence;

import io.convoke.chaos.history.PresenceHistory.RoomMeetings;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.LeaveReason;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.RoomSession;
import io.convoke.simulator.state.SimulationState;
import io.convoke.simulator.state.Visitor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Rooms beside those of the plan: one whose meeting ends and that is used again, two with a rule,
 * of which one begins its meeting with a leave, and one that no user has.
 */
final class ExtraRooms {
  private static final Duration LOOK_EVERY = Duration.ofMillis(150);

  /** Until a change is shown before there are faults. */
  private static final Duration CALM = Duration.ofSeconds(10);

  /** From the last leave until the platform is asked whether the meeting is over. */
  private static final Duration GRACE = Duration.ofSeconds(35);

  private static final int CREATED = 201;

  /** So many short visits in a row that some come while the events of others are put aside. */
  static final int PASSING = 20;

  private final Simulator simulator;
  private final SimulationState platform;
  private final ApiClient user;
  private final String ending;
  private final String ruled;
  private final String untold;
  private final String strange;
  private final List<ReadBack> shared = new ArrayList<>();
  private Instant left = Instant.EPOCH;

  ExtraRooms(Simulator simulator, ApiClient user, long seed) {
    this.simulator = simulator;
    this.platform = simulator.world();
    this.user = user;
    this.ending = "chaos-" + seed + "-ending";
    this.ruled = "chaos-" + seed + "-ruled";
    this.untold = "chaos-" + seed + "-untold";
    this.strange = "chaos-" + seed + "-strange";
    for (String room : List.of(ending, ruled, untold, strange)) {
      var _ = platform.ensure(RoomRequest.named(room));
    }
  }

  /**
   * A whole meeting, with a visit that only the platform's history shows; visits to the room that
   * no user has; and one by a person whom polls do not show.
   *
   * @param hidden the room of that person; empty where a disabled webhook would keep the leave to
   *     itself
   */
  void open(ApiClient admin, long owner, Optional<String> hidden) {
    long meeting = user.track(ending);
    for (String room : List.of(ruled, untold)) {
      ApiReply rule = admin.put("/rooms/daily/" + room, Map.of("user_id", owner, "track", true));
      if (!rule.ok()) {
        throw new IllegalStateException("a rule for " + room + " was answered " + rule.status());
      }
    }
    List<String> sessions = new ArrayList<>();
    for (String person : List.of("ada", "bo")) {
      sessions.add(join(ending, person));
    }
    String stranger = join(strange, "cy");
    for (int i = 0; i < PASSING; i++) {
      boolean _ = platform.leave(strange, join(strange, "passing-" + i), LeaveReason.LEFT);
    }
    Visitor visitor = Visitor.named("Name of hid").withUserId("hid").hidden();
    hidden.ifPresent(room -> platform.join(room, visitor));
    boolean _ = await(() -> shown(meeting) == 2, Instant.now().plus(CALM));
    unseen();
    leaveFirst();
    boolean _ = platform.leave(strange, stranger, LeaveReason.LEFT);
    sessions.forEach(session -> platform.leave(ending, session, LeaveReason.LEFT));
    left = Instant.now();
    boolean _ = await(() -> shown(meeting) == 0, Instant.now().plus(CALM));
  }

  private void unseen() {
    simulator.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.of(1));
    String session = join(ending, "flash");
    LockSupport.parkNanos(LOOK_EVERY.toNanos());
    boolean _ = platform.leave(ending, session, LeaveReason.LEFT);
    simulator.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.NEVER);
  }

  /** A visit of which only the leave is told: it begins a meeting, which shows it. */
  private void leaveFirst() {
    simulator.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.of(1));
    String session = join(untold, "kim");
    LockSupport.parkNanos(LOOK_EVERY.toNanos());
    simulator.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.NEVER);
    boolean _ = platform.leave(untold, session, LeaveReason.LEFT);
    boolean shown = await(() -> untoldVisits() == 1, Instant.now().plus(CALM));
    shared.add(
        new ReadBack(
            "a visit that is told when it is over",
            List.of("true"),
            List.of(Boolean.toString(shown))));
  }

  private long untoldVisits() {
    return user.get("/meetings?limit=200")
        .body()
        .path("items")
        .valueStream()
        .filter(meeting -> meeting.path("platform_specific_id").asString("").equals(untold))
        .flatMap(meeting -> visits(meeting.path("id").asLong(), "kim").stream())
        .filter(visit -> !visit.endsWith("null"))
        .count();
  }

  /** A visit, before the faults, to a room that has two meetings: both show it alike. */
  void visitBoth(String room, long meeting, long other) {
    String session = join(room, "gil");
    boolean _ =
        await(
            () -> visits(meeting, "gil").size() + visits(other, "gil").size() == 2,
            Instant.now().plus(CALM));
    boolean _ = platform.leave(room, session, LeaveReason.LEFT);
    boolean _ =
        await(
            () -> over(visits(meeting, "gil")) && over(visits(other, "gil")),
            Instant.now().plus(CALM));
    shared.add(
        new ReadBack("a visit to both meetings", visits(meeting, "gil"), visits(other, "gil")));
  }

  private List<String> visits(long meeting, String person) {
    return user.get("/meetings/" + meeting + "/participants")
        .body()
        .path("items")
        .valueStream()
        .filter(visit -> visit.path("user_id").asString("").equals(person))
        .map(visit -> visit.path("joined_at") + " to " + visit.path("left_at"))
        .toList();
  }

  private static boolean over(List<String> visits) {
    return visits.stream().noneMatch(visit -> visit.endsWith("null"));
  }

  /** What the meetings of such rooms showed. */
  List<ReadBack> shared() {
    return List.copyOf(shared);
  }

  /** A visit that the rule of its room has tracked, begun during the faults. */
  void visit() {
    String _ = join(ruled, "di");
  }

  /** Once the first meeting is over, another one in its room; whether it was in time. */
  boolean useAgain(Duration bound) {
    Instant due = left.plus(GRACE).plus(bound);
    Instant soon = Instant.now().plus(CALM);
    Instant deadline = due.isAfter(soon) ? due : soon;
    Map<String, String> body = Map.of("platform", "daily", "native_meeting_id", ending);
    boolean over = await(() -> user.post("/meetings", body).status() == CREATED, deadline);
    String _ = join(ending, "ed");
    return over;
  }

  /** How many meetings each room of a run has. */
  List<RoomMeetings> meetings() {
    return List.of(
        new RoomMeetings(ending, List.of("completed", "active")),
        new RoomMeetings(ruled, List.of("active")),
        new RoomMeetings(strange, List.of()));
  }

  /** The events of the room that no user has: one row for operators, which counts each. */
  ReadBack deadLetters(ApiClient admin) {
    List<String> rows =
        admin
            .get("/dead-letters/webhooks?limit=200")
            .body()
            .path("items")
            .valueStream()
            .filter(row -> row.path("room").asString("").equals(strange))
            .map(
                row ->
                    row.path("source").asString("")
                        + " "
                        + (row.path("count").asLong() >= 2 * (1 + PASSING)))
            .toList();
    return new ReadBack("the dead letters of " + strange, List.of("daily true"), rows);
  }

  /** Another user does not get a room. */
  static ReadBack refused(ApiClient stranger, String room) {
    ApiReply reply =
        stranger.post("/meetings", Map.of("platform", "daily", "native_meeting_id", room));
    return new ReadBack(
        "another user's request for " + room,
        List.of("403 room_claimed"),
        List.of(reply.status() + " " + reply.body().path("code").asString("")));
  }

  /** A person comes; the session. */
  String join(String room, String person) {
    Visitor visitor = Visitor.named("Name of " + person).withUserId(person);
    return platform.join(room, visitor) instanceof JoinResult.JoinedMeeting(RoomSession session)
        ? session.sessionId()
        : "";
  }

  private int shown(long meeting) {
    ApiReply reply = user.get("/meetings/" + meeting + "/participants?active=true");
    return reply.body().path("num_clients").asInt(-1);
  }

  private static boolean await(BooleanSupplier done, Instant deadline) {
    while (!done.getAsBoolean()) {
      if (Instant.now().isAfter(deadline)) {
        return false;
      }
      LockSupport.parkNanos(LOOK_EVERY.toNanos());
    }
    return true;
  }
}
