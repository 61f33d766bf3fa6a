package io.convoke.demo;

import io.convoke.demo.DemoApiClient.DemoApiReply;
import io.convoke.fakes.speech.SpeakingBrowser;
import io.convoke.fakes.speech.SpeakingBrowser.PageFailure;
import io.convoke.fakes.speech.SpokenVoice;
import io.convoke.simulator.process.OrphanReaper;
import io.convoke.simulator.script.ScriptedMeeting;
import io.convoke.simulator.script.ScriptedMeeting.ScriptedLine;
import io.convoke.simulator.script.SimulationScript;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/**
 * The script's meetings in real rooms, one after the other: those who speak in it join with voices
 * and drawn pictures, say their lines, and leave. Each meeting has a bot and is recorded, a pod
 * films it, and its transcript goes to the CRM. The log is made from Convoke's event stream.
 */
final class RealMorning implements AutoCloseable {
  /** A browser has six connections to a server, and each person waits for events on one. */
  private static final int PEOPLE_MAX = 5;

  /** Between two lines; the script's own pauses are longer than a visitor's patience. */
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private static final Duration BETWEEN = Duration.ofSeconds(10);
  private static final String TASK = "task:";

  private final DemoApiClient user;
  private final URI server;
  private final Path folder;
  private final OrphanReaper orphanReaper;
  private final SimulationScript script;
  private final DemoLog demoLog = new DemoLog(room -> room);
  private final Map<Long, String> rooms = new ConcurrentHashMap<>();
  private final Map<String, String> films = new ConcurrentHashMap<>();
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private volatile boolean over;

  /** {@code folder} gets what the browser writes. */
  RealMorning(
      DemoApiClient user,
      URI server,
      Path folder,
      OrphanReaper orphanReaper,
      SimulationScript script) {
    this.user = user;
    this.server = server;
    this.folder = folder;
    this.orphanReaper = orphanReaper;
    this.script = script;
    script.meetings().forEach(meeting -> demoLog.name(meeting.room(), meeting.title()));
  }

  /** Plays the script once, in the background. */
  void begin() {
    long now = user.get("/events?limit=1").body().path("next_after").asLong(0);
    executor.execute(() -> user.follow(now, () -> over, this::told));
    executor.execute(this::play);
  }

  private void play() {
    for (ScriptedMeeting meeting : script.meetings()) {
      try {
        hold(meeting);
      } catch (IOException | PageFailure | IllegalStateException e) {
        if (!over) {
          demoLog.log(meeting.room(), "its people failed: " + e.getMessage());
        }
      }
      LockSupport.parkNanos(BETWEEN.toNanos());
      if (over) {
        return;
      }
    }
    demoLog.log("The morning", "is over; the room for your own voices stays open");
  }

  private void hold(ScriptedMeeting meeting) throws IOException, PageFailure {
    String room = meeting.room();
    JsonNode made = good("/rooms", Map.of("name", room, "record", true));
    String link = made.path("links").path("guest").asString();
    List<String> people =
        meeting.lines().stream().map(ScriptedLine::who).distinct().limit(PEOPLE_MAX).toList();
    try (SpeakingBrowser browser =
        new SpeakingBrowser(folder.resolve("people-" + room), server, orphanReaper)) {
      for (String name : people) {
        String token = link.substring(link.indexOf('#') + 1);
        var _ = browser.call("join", Map.of("token", token, "name", name, "video", true));
      }
      long id = bot(meeting, link);
      demoLog.log(room, "Olivia sends a bot: " + server.resolve("/console/meetings/" + id));
      film(room, made.path("egress_token").asString());
      LockSupport.parkNanos(BETWEEN.toNanos());
      for (ScriptedLine line : meeting.lines()) {
        int number = people.indexOf(line.who());
        if (number >= 0 && !over) {
          String wav = SpokenVoice.of(number).says(line.text());
          var _ = browser.call("say", Map.of("name", line.who(), "wav", wav));
          LockSupport.parkNanos(PAUSE.toNanos());
        }
      }
      for (String name : people) {
        var _ = browser.call("leave", name);
      }
    }
  }

  private long bot(ScriptedMeeting meeting, String link) {
    Map<String, Object> wanted = new HashMap<>();
    wanted.put("platform", "janus");
    wanted.put("native_meeting_id", meeting.room());
    wanted.put("meeting_url", link);
    wanted.put("bot_name", "Olivia's notes");
    wanted.put("data", Map.of("title", meeting.title()));
    long id = good("/bots/start", wanted).path("id").asLong();
    rooms.put(id, meeting.room());
    return id;
  }

  private void film(String room, String token) {
    String id = "film-" + System.nanoTime();
    films.put(id, room);
    JsonNode _ =
        good(
            "/tasks",
            Map.of(
                "id",
                id,
                "request_id",
                id,
                "type",
                "egress",
                "action",
                "start",
                "channel",
                room,
                "payload",
                Map.of("kind", "record", "access_token", token)));
  }

  private JsonNode good(String path, Map<String, ?> body) {
    DemoApiReply reply = user.post(path, body);
    if (!reply.good()) {
      throw new IllegalStateException(path + " was refused: " + reply.body());
    }
    return reply.body();
  }

  private void told(JsonNode event) {
    JsonNode data = event.path("data");
    String subject = event.path("subject").asString("");
    if (event.path("type").asString().equals("task.success") && subject.startsWith(TASK)) {
      String filmed = films.get(subject.substring(TASK.length()));
      if (filmed != null) {
        demoLog.log(filmed, "its film is on the page of its meeting");
      }
    }
    long meeting = data.path("meeting_id").asLong(0);
    String room = rooms.get(meeting);
    if (room == null) {
      return;
    }
    switch (event.path("type").asString()) {
      case "participant.joined" -> demoLog.log(room, "+ " + data.path("user_name").asString("?"));
      case "participant.left" -> demoLog.log(room, "- " + data.path("user_name").asString("?"));
      case "meeting.status_changed" ->
          demoLog.log(room, data.path("from").asString("") + " -> " + data.path("to").asString());
      case "recording.status_changed" -> {
        switch (data.path("to").asString("")) {
          case "done" -> executor.execute(() -> transcribed(room, meeting));
          case "failed" ->
              demoLog.log(room, "its recording failed: " + data.path("reason").asString(""));
          default -> {}
        }
      }
      case "sync.status_changed" -> {
        if (data.path("to").asString("").equals("success")) {
          demoLog.log(room, "green check: the CRM has it");
        }
      }
      default -> {}
    }
  }

  private void transcribed(String room, long meeting) {
    JsonNode segments = user.get("/transcripts/" + meeting).body().path("segments");
    long speakers =
        segments
            .valueStream()
            .map(segment -> segment.path("speaker").asString(""))
            .filter(name -> !name.isEmpty())
            .distinct()
            .count();
    demoLog.log(
        room,
        "%d lines of %d speakers; the last: %s"
            .formatted(
                segments.size(),
                speakers,
                segments.isEmpty()
                    ? "-"
                    : segments.get(segments.size() - 1).path("text").asString("")));
  }

  @Override
  public void close() {
    over = true;
    executor.shutdownNow();
  }
}
