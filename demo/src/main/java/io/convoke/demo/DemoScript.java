package io.convoke.demo;

import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.script.ScriptedMeeting;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.SimulationEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * What Olivia does all morning: she has some meetings tracked and sends bots into others, and some
 * webhooks are lost. Calls are recorded and their transcripts pushed to the CRM ({@link
 * RecordedCallsScript}), and pods take snapshots of some meetings ({@link DemoSnapshots}). The log
 * is made from Convoke's own event stream, so it shows only what Convoke has detected.
 */
final class DemoScript implements AutoCloseable {
  /** In one of so many meetings the webhook of one join is dropped. */
  private static final int LOST_EVERY = 4;

  /** When they join such a meeting, in scripted time. */
  private static final Duration LOST_AFTER = Duration.ofSeconds(90);

  /** For how long, at any speed: every meeting is proven each 30 s. */
  private static final Duration LOST_STAY = Duration.ofSeconds(50);

  private static final Duration END_MAX = Duration.ofSeconds(8);

  private final DemoApiClient demoApiClient;
  private final Simulator simulator;
  private final double speed;
  private final DemoLog demoLog;
  private final RecordedCallsScript calls;
  private final DemoSnapshots snapshots;
  private final LostArrival lostArrival;
  private final Map<Long, String> rooms = new ConcurrentHashMap<>();
  private final AtomicInteger meetings = new AtomicInteger();
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean over;

  /**
   * {@code transcriber} is the transcriber's display name, {@code pictures} the snapshot folder.
   */
  DemoScript(
      DemoApiClient demoApiClient,
      Simulator simulator,
      FakeCrm crm,
      SimulationScript morning,
      double speed,
      String transcriber,
      DemoPods demoPods,
      Path pictures) {
    this.demoApiClient = demoApiClient;
    this.simulator = simulator;
    this.speed = speed;
    this.demoLog = new DemoLog(this::title);
    this.calls =
        new RecordedCallsScript(demoApiClient, simulator, crm, demoLog, transcriber, executor);
    this.snapshots = new DemoSnapshots(demoApiClient, demoPods, pictures, demoLog, executor);
    this.lostArrival = new LostArrival(simulator, demoLog, LOST_STAY);
    morning.meetings().forEach(meeting -> demoLog.name(meeting.room(), meeting.title()));
  }

  void begin() {
    simulator.world().subscribe(this::onSimulation);
    long now = demoApiClient.get("/events?limit=1").body().path("next_after").asLong(0);
    executor.execute(() -> demoApiClient.follow(now, () -> over, this::told));
    calls.begin();
  }

  /** Ends all meetings and waits until every bot has left. */
  @Override
  public void close() {
    over = true;
    long deadline = System.nanoTime() + END_MAX.toNanos();
    endMeetings();
    while (System.nanoTime() < deadline
        && !demoApiClient.get("/bots/active").body().path("items").isEmpty()) {
      pause(Duration.ofMillis(200));
      // A bot that was still joining restarts its meeting.
      endMeetings();
    }
    executor.shutdownNow();
  }

  private void endMeetings() {
    simulator.world().meetings().stream()
        .filter(meeting -> meeting.ongoing())
        .forEach(meeting -> simulator.world().endMeeting(meeting.room()));
  }

  /** Reacts to changes on the platform, as a user with the calendar open does. */
  private void onSimulation(SimulationEvent event) {
    calls.onSimulation(event);
    if (!over) {
      snapshots.onSimulation(event);
    }
    if (event instanceof SimulationEvent.MeetingStarted started && !over) {
      int number = calls.owns(started.room()) ? 0 : meetings.incrementAndGet();
      executor.execute(() -> attend(started.room(), number));
    }
  }

  /** Number 0 is only tracked; every second one of the others gets a bot. */
  private void attend(String room, int number) {
    Map<String, String> data = Map.of("title", demoLog.title(room));
    boolean bot = number > 0 && number % 2 == 0;
    DemoApiClient.DemoApiReply demoApiReply =
        bot
            ? demoApiClient.post(
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
            : demoApiClient.post(
                "/meetings", Map.of("platform", "daily", "native_meeting_id", room, "data", data));
    long id = demoApiReply.status() == 409 ? known(room) : demoApiReply.body().path("id").asLong();
    if (id > 0) {
      rooms.put(id, room);
      demoLog.log(
          room,
          bot
              ? "Olivia sends a bot (meeting " + id + ")"
              : "is tracked without a bot (meeting " + id + ")");
    } else {
      demoLog.log(room, "could not be tracked: " + demoApiReply.body().path("detail").asString(""));
    }
    if (number % LOST_EVERY == 1) {
      pause(scaled(LOST_AFTER));
      lostArrival.visit(room);
    }
  }

  /** The meeting of a room that an earlier run of the demo left open; 0 without one. */
  private long known(String room) {
    return demoApiClient
        .get("/meetings?status=active&platform=daily&limit=200")
        .body()
        .path("items")
        .valueStream()
        .filter(meeting -> meeting.path("platform_specific_id").asString().equals(room))
        .mapToLong(meeting -> meeting.path("id").asLong())
        .findFirst()
        .orElse(0);
  }

  private void told(JsonNode event) {
    snapshots.onEvent(event);
    JsonNode data = event.path("data");
    String room = rooms.get(data.path("meeting_id").asLong(0));
    if (room == null) {
      return;
    }
    calls.onEvent(room, event);
    String name = data.path("user_name").asString("unnamed participant");
    switch (event.path("type").asString()) {
      case "participant.joined" -> {
        String source = data.path("source").asString("poll");
        demoLog.log(room, "+ " + name + lostArrival.detected(room, name, source));
      }
      case "participant.left" -> demoLog.log(room, "- " + name);
      case "meeting.status_changed" ->
          demoLog.log(room, data.path("from").asString("") + " -> " + data.path("to").asString());
      default -> {}
    }
  }

  private String title(String room) {
    return simulator.upcoming().stream()
        .map(upcomingMeeting -> upcomingMeeting.gathering())
        .filter(scriptedMeeting -> scriptedMeeting.room().equals(room))
        .findFirst()
        .map(ScriptedMeeting::title)
        .orElse(room);
  }

  private Duration scaled(Duration scripted) {
    return Duration.ofMillis((long) (scripted.toMillis() / speed));
  }

  private static void pause(Duration duration) {
    java.util.concurrent.locks.LockSupport.parkNanos(duration.toNanos());
  }
}
