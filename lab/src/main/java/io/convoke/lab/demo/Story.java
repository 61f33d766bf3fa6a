package io.convoke.lab.demo;

import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.script.Gathering;
import io.convoke.lab.sim.script.Scenario;
import io.convoke.lab.sim.world.Visitor;
import io.convoke.lab.sim.world.WorldEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * What Olivia does all morning: she has some meetings watched and sends bots into others, and once
 * in a while a webhook is lost on its way. Calls are recorded, and their words brought to the CRM
 * ({@link CallStory}), and pods take pictures of some meetings ({@link SnapshotStory}). The story
 * is told from Convoke's own event stream, so it says only what Convoke has found out.
 */
final class Story implements AutoCloseable {
  private static final Duration STREAM_RETRY = Duration.ofSeconds(1);

  /** Every so many meetings one arrival is never announced. */
  private static final int LOST_EVERY = 4;

  private static final Duration END_MAX = Duration.ofSeconds(8);

  private final Api api;
  private final Simulator simulator;
  private final double speed;
  private final Teller teller;
  private final CallStory calls;
  private final SnapshotStory snapshots;
  private final Map<Long, String> rooms = new ConcurrentHashMap<>();
  private final Map<String, Instant> lost = new ConcurrentHashMap<>();
  private final AtomicInteger meetings = new AtomicInteger();
  private final ExecutorService hands = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean over;

  /**
   * {@code ears} names what recordings are heard with, {@code pictures} the folder of snapshots.
   */
  Story(
      Api api,
      Simulator simulator,
      CrmStandIn crm,
      Scenario morning,
      double speed,
      String ears,
      Pods pods,
      Path pictures) {
    this.api = api;
    this.simulator = simulator;
    this.speed = speed;
    this.teller = new Teller(this::title);
    this.calls = new CallStory(api, simulator, crm, teller, ears, hands);
    this.snapshots = new SnapshotStory(api, pods, pictures, teller, hands);
    morning.meetings().forEach(meeting -> teller.name(meeting.room(), meeting.title()));
  }

  void begin() {
    simulator.world().subscribe(this::happened);
    long now = api.get("/events?limit=1").body().path("next_after").asLong(0);
    hands.execute(() -> listen(now));
    calls.begin();
  }

  /** Ends all meetings, so that every bot goes home by itself, and waits for them. */
  @Override
  public void close() {
    over = true;
    long deadline = System.nanoTime() + END_MAX.toNanos();
    endMeetings();
    while (System.nanoTime() < deadline
        && !api.get("/bots/active").body().path("items").isEmpty()) {
      pause(Duration.ofMillis(200));
      // A bot that was on its way begins its meeting anew.
      endMeetings();
    }
    hands.shutdownNow();
  }

  private void endMeetings() {
    simulator.world().meetings().stream()
        .filter(meeting -> meeting.ongoing())
        .forEach(meeting -> simulator.world().endMeeting(meeting.room()));
  }

  /** Reacts to the platform as a person would who has the calendar open. */
  private void happened(WorldEvent event) {
    calls.happened(event);
    if (!over) {
      snapshots.happened(event);
    }
    if (event instanceof WorldEvent.MeetingStarted started && !over) {
      int number = calls.owns(started.room()) ? 0 : meetings.incrementAndGet();
      hands.execute(() -> attend(started.room(), number));
    }
  }

  /** Number 0 is watched only; of the others every second gets a bot. */
  private void attend(String room, int number) {
    Map<String, String> data = Map.of("title", teller.title(room));
    boolean bot = number > 0 && number % 2 == 0;
    Api.Reply reply =
        bot
            ? api.post(
                "/bots/start",
                Map.of(
                    "platform",
                    "daily",
                    "native_meeting_id",
                    room,
                    "bot_name",
                    "Olivia's notes",
                    "data",
                    data))
            : api.post(
                "/meetings", Map.of("platform", "daily", "native_meeting_id", room, "data", data));
    long id = reply.status() == 409 ? known(room) : reply.body().path("id").asLong();
    if (id > 0) {
      rooms.put(id, room);
      teller.say(
          room,
          bot
              ? "Olivia sends a bot (meeting " + id + ")"
              : "is watched without a bot (meeting " + id + ")");
    } else {
      teller.say(room, "could not be watched: " + reply.body().path("detail").asString(""));
    }
    if (number % LOST_EVERY == 1) {
      pause(Duration.ofMillis((long) (90_000 / speed)));
      loseOneArrival(room);
    }
  }

  /** The meeting of a room that an earlier run of the demo has left open; 0 if there is none. */
  private long known(String room) {
    return api.get("/meetings?status=active&platform=daily&limit=200")
        .body()
        .path("items")
        .valueStream()
        .filter(meeting -> meeting.path("platform_specific_id").asString().equals(room))
        .mapToLong(meeting -> meeting.path("id").asLong())
        .findFirst()
        .orElse(0);
  }

  /** A participant joins and Daily's webhook is lost: only the reconciliation finds it. */
  private void loseOneArrival(String room) {
    String name = "Noor Haddad";
    lost.put(room + name, Instant.now());
    simulator
        .faults()
        .set(FaultKind.WEBHOOK_DROP, Fault.ALWAYS.on("participant.joined " + room).times(1));
    simulator.world().join(room, Visitor.named(name).withUserId("noor"));
    teller.say(room, name + " joins, and the webhook is lost on purpose");
  }

  private void listen(long from) {
    long[] after = {from};
    while (!over) {
      try {
        api.follow(
            after[0],
            event -> {
              after[0] = event.path("seq").asLong();
              told(event);
            });
      } catch (IOException e) {
        pause(STREAM_RETRY);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void told(JsonNode event) {
    snapshots.told(event);
    JsonNode data = event.path("data");
    String room = rooms.get(data.path("meeting_id").asLong(0));
    if (room == null) {
      return;
    }
    calls.told(room, event);
    String name = data.path("user_name").asString("somebody");
    switch (event.path("type").asString()) {
      case "participant.joined" -> {
        String found =
            Optional.ofNullable(lost.remove(room + name))
                .map(when -> found(when, data.path("source").asString("poll")))
                .orElse("");
        teller.say(room, "+ " + name + found);
      }
      case "participant.left" -> teller.say(room, "- " + name);
      case "meeting.status_changed" ->
          teller.say(room, data.path("from").asString("") + " -> " + data.path("to").asString());
      default -> {}
    }
  }

  private static String found(Instant since, String source) {
    long seconds = Math.max(1, Duration.between(since, Instant.now()).toSeconds());
    return "   found again after " + seconds + " s by " + source + ", without the webhook";
  }

  private String title(String room) {
    return simulator.upcoming().stream()
        .map(planned -> planned.gathering())
        .filter(gathering -> gathering.room().equals(room))
        .findFirst()
        .map(Gathering::title)
        .orElse(room);
  }

  private static void pause(Duration duration) {
    java.util.concurrent.locks.LockSupport.parkNanos(duration.toNanos());
  }
}
