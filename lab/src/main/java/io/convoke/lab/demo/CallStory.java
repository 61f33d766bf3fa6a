package io.convoke.lab.demo;

import io.convoke.lab.crm.CrmStandIn;
import io.convoke.lab.sim.Simulator;
import io.convoke.lab.sim.fault.Fault;
import io.convoke.lab.sim.fault.FaultKind;
import io.convoke.lab.sim.script.Parsed;
import io.convoke.lab.sim.script.Scenario;
import io.convoke.lab.sim.script.ScenarioReader;
import io.convoke.lab.sim.world.WorldEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What becomes of recorded calls, and two of them that do not go smoothly. The webhook about the
 * first one's recording is lost, so that the listing has to find it. Once it is in the CRM, the
 * CRM's property that identifies meetings is deleted; so the second one fails at job B, shows the
 * retry icon, and succeeds once the property is back and the retry icon was clicked: by the reader,
 * or after a while by Olivia.
 */
final class CallStory {
  private static final Duration CLICK_WAIT = Duration.ofSeconds(30);
  private static final Pattern SYNC_STEPS = Pattern.compile("(prepare|transform|push): ");
  private static final String READY = "recording.ready-to-download";

  private final Api api;
  private final Simulator simulator;
  private final CrmStandIn crm;
  private final Teller teller;
  private final String ears;
  private final ExecutorService hands;
  private final Scenario first = scenario("first-call.yaml");
  private final Scenario second = scenario("second-call.yaml");

  /** When recordings became ready of which Convoke was not told, by room. */
  private final Map<String, Instant> untold = new ConcurrentHashMap<>();

  private final AtomicBoolean firstSynced = new AtomicBoolean();
  private final AtomicBoolean secondFailed = new AtomicBoolean();
  private final AtomicBoolean clicked = new AtomicBoolean();

  /** {@code ears} names what the recordings are heard with. */
  CallStory(
      Api api,
      Simulator simulator,
      CrmStandIn crm,
      Teller teller,
      String ears,
      ExecutorService hands) {
    this.api = api;
    this.simulator = simulator;
    this.crm = crm;
    this.teller = teller;
    this.ears = ears;
    this.hands = hands;
  }

  /** What is said in the two calls. */
  static List<String> lines() {
    return List.of("first-call.yaml", "second-call.yaml").stream()
        .flatMap(name -> scenario(name).meetings().stream())
        .flatMap(meeting -> meeting.lines().stream())
        .map(line -> line.text())
        .toList();
  }

  /** Whether a room is one of the two calls'. */
  boolean owns(String room) {
    return room.equals(room(first)) || room.equals(room(second));
  }

  void begin() {
    teller.name(room(first), first.meetings().getFirst().title());
    teller.name(room(second), second.meetings().getFirst().title());
    simulator
        .faults()
        .set(FaultKind.WEBHOOK_DROP, Fault.ALWAYS.on(READY + " " + room(first)).times(1));
    simulator.play(first);
  }

  /** Takes note of what the platform does. */
  void happened(WorldEvent event) {
    if (event instanceof WorldEvent.RecordingSettled settled
        && settled.room().equals(room(first))) {
      untold.put(settled.room(), Instant.now());
      hands.execute(
          () ->
              teller.say(
                  settled.room(), "its recording is ready, and the webhook is lost on purpose"));
    }
  }

  /** Takes note of what Convoke says about the meeting of a room. */
  void told(String room, JsonNode event) {
    JsonNode data = event.path("data");
    switch (event.path("type").asString("")) {
      case "recording.status_changed" -> moved(room, data);
      case "sync.status_changed" -> synced(room, data);
      default -> {}
    }
  }

  private void moved(String room, JsonNode data) {
    switch (data.path("to").asString("")) {
      case "ready" -> {
        String way = data.path("actor").asString("");
        if (way.equals("listing") || way.equals("webhook")) {
          teller.say(room, "its recording is found by the " + way + late(room));
        }
      }
      case "done" -> hands.execute(() -> done(room, data));
      case "failed" -> {
        String reason = data.path("reason").asString("");
        // What the sync says is told as the retry icon.
        if (!SYNC_STEPS.matcher(reason).lookingAt()) {
          teller.say(room, "the work on its recording failed: " + reason);
        }
      }
      default -> {}
    }
  }

  private String late(String room) {
    return Optional.ofNullable(untold.remove(room))
        .map(since -> Duration.between(since, Instant.now()).toSeconds())
        .map(seconds -> " " + Math.max(1, seconds) + " s later, without the webhook")
        .orElse("");
  }

  /** Says what was heard, and how often the CRM holds it. */
  private void done(String room, JsonNode data) {
    String recording = data.path("recording_id").asString("");
    List<String> heard =
        api.get("/transcripts/" + data.path("meeting_id").asLong(0))
            .body()
            .path("segments")
            .valueStream()
            .filter(it -> it.path("session_uid").asString("").equals("recording:" + recording))
            .map(it -> it.path("text").asString(""))
            .toList();
    teller.say(room, "heard by " + ears + ": " + shortened(String.join(" / ", heard)));
    CrmStandIn.Note note = crm.notes().get(recording);
    String held =
        note == null
            ? "the CRM does NOT hold it"
            : note.versions() == 1
                ? "the CRM holds it once, as note " + note.id()
                : "the CRM was told %d times, and holds note %s"
                    .formatted(note.versions(), note.id());
    teller.say(room, held);
  }

  private void synced(String room, JsonNode data) {
    String to = data.path("to").asString("");
    String from = data.path("from").asString("");
    if (to.equals(from)) {
      return;
    }
    switch (to) {
      case "in_progress" -> {
        if (from.equals("failure")) {
          clicked.set(clicked.get() || room.equals(room(second)));
          teller.say(room, "clicked: the spinner turns again");
        } else {
          teller.say(room, "the spinner turns: its words are on their way to the CRM");
        }
      }
      case "success" -> {
        teller.say(room, "green check: the CRM has it");
        if (room.equals(room(first)) && firstSynced.compareAndSet(false, true)) {
          breakTheCrm();
        }
      }
      case "failure" -> {
        teller.say(
            room,
            "retry icon: failed at %s: %s"
                .formatted(
                    data.path("last_step").asString("?"), data.path("error_message").asString("")));
        if (room.equals(room(second)) && secondFailed.compareAndSet(false, true)) {
          mendTheCrm(room, data.path("meeting_id").asString(""));
        }
      }
      default -> {}
    }
  }

  private void breakTheCrm() {
    crm.idProperty(false);
    teller.say("In the CRM", "an administrator deletes the property that identifies meetings");
    simulator.play(second);
  }

  private void mendTheCrm(String room, String meeting) {
    crm.idProperty(true);
    teller.say("In the CRM", "the property is made again");
    teller.say(
        room,
        "click its retry icon in the console (meeting %s); in %d s Olivia does"
            .formatted(meeting, CLICK_WAIT.toSeconds()));
    hands.execute(
        () -> {
          LockSupport.parkNanos(CLICK_WAIT.toNanos());
          if (!clicked.get() && !Thread.currentThread().isInterrupted()) {
            var _ = api.post("/sync-status/" + meeting + "/retry", Map.of());
          }
        });
  }

  private static String shortened(String text) {
    return text.isEmpty() ? "nothing" : text.length() <= 160 ? text : text.substring(0, 160) + "…";
  }

  private static String room(Scenario scenario) {
    return scenario.meetings().getFirst().room();
  }

  private static Scenario scenario(String name) {
    try (InputStream in = CallStory.class.getResourceAsStream(name)) {
      return switch (ScenarioReader.read(Objects.requireNonNull(in).readAllBytes())) {
        case Parsed.Good(Scenario scenario) -> scenario;
        case Parsed.Faulty(List<String> faults) ->
            throw new IOException(name + ": " + String.join("; ", faults));
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
