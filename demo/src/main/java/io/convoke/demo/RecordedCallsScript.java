package io.convoke.demo;

import io.convoke.fakes.crm.FakeCrm;
import io.convoke.simulator.Simulator;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.script.ScenarioParseResult;
import io.convoke.simulator.script.ScenarioReader;
import io.convoke.simulator.script.SimulationScript;
import io.convoke.simulator.state.SimulationEvent;
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
 * Two recorded calls with faults. The webhook of the first recording is dropped, so the listing has
 * to find it. Once its note is in the CRM, the CRM's property that identifies meetings is deleted;
 * so the second one fails at job B, shows the retry icon, and succeeds once the property exists
 * again and the icon was clicked: by the user, or after a while by Olivia.
 */
final class RecordedCallsScript {
  private static final Duration CLICK_WAIT = Duration.ofSeconds(30);
  private static final Pattern SYNC_STEPS = Pattern.compile("(prepare|transform|push): ");
  private static final String READY = "recording.ready-to-download";

  private final DemoApiClient demoApiClient;
  private final Simulator simulator;
  private final FakeCrm crm;
  private final DemoLog demoLog;
  private final String transcriber;
  private final ExecutorService executor;
  private final SimulationScript first = scenario("first-call.yaml");
  private final SimulationScript second = scenario("second-call.yaml");

  /** When recordings became ready without a webhook, by room. */
  private final Map<String, Instant> undelivered = new ConcurrentHashMap<>();

  private final AtomicBoolean firstSynced = new AtomicBoolean();
  private final AtomicBoolean secondFailed = new AtomicBoolean();
  private final AtomicBoolean clicked = new AtomicBoolean();

  /** {@code transcriber} is the transcriber's display name. */
  RecordedCallsScript(
      DemoApiClient demoApiClient,
      Simulator simulator,
      FakeCrm crm,
      DemoLog demoLog,
      String transcriber,
      ExecutorService executor) {
    this.demoApiClient = demoApiClient;
    this.simulator = simulator;
    this.crm = crm;
    this.demoLog = demoLog;
    this.transcriber = transcriber;
    this.executor = executor;
  }

  /** The spoken lines of the two calls. */
  static List<String> lines() {
    return List.of("first-call.yaml", "second-call.yaml").stream()
        .flatMap(name -> scenario(name).meetings().stream())
        .flatMap(meeting -> meeting.lines().stream())
        .map(scriptedLine -> scriptedLine.text())
        .toList();
  }

  /** Whether a room belongs to one of the two calls. */
  boolean owns(String room) {
    return room.equals(room(first)) || room.equals(room(second));
  }

  void begin() {
    demoLog.name(room(first), first.meetings().getFirst().title());
    demoLog.name(room(second), second.meetings().getFirst().title());
    simulator
        .faults()
        .set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on(READY + " " + room(first)).times(1));
    simulator.play(first);
  }

  /** Handles a change on the platform. */
  void onSimulation(SimulationEvent event) {
    if (event instanceof SimulationEvent.RecordingSettled settled
        && settled.room().equals(room(first))) {
      undelivered.put(settled.room(), Instant.now());
      executor.execute(
          () -> demoLog.log(settled.room(), "its recording is ready, the demo drops the webhook"));
    }
  }

  /** Handles an event of Convoke about a meeting in the room. */
  void onEvent(String room, JsonNode event) {
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
          demoLog.log(room, "its recording is detected by the " + way + late(room));
        }
      }
      case "done" -> executor.execute(() -> done(room, data));
      case "failed" -> {
        String reason = data.path("reason").asString("");
        // A failed sync is logged as the retry icon.
        if (!SYNC_STEPS.matcher(reason).lookingAt()) {
          demoLog.log(room, "processing of its recording failed: " + reason);
        }
      }
      default -> {}
    }
  }

  private String late(String room) {
    return Optional.ofNullable(undelivered.remove(room))
        .map(since -> Duration.between(since, Instant.now()).toSeconds())
        .map(seconds -> " " + Math.max(1, seconds) + " s later, without the webhook")
        .orElse("");
  }

  /** Logs the transcript and how many copies of it the CRM has. */
  private void done(String room, JsonNode data) {
    String recording = data.path("recording_id").asString("");
    List<String> transcript =
        demoApiClient
            .get("/transcripts/" + data.path("meeting_id").asLong(0))
            .body()
            .path("segments")
            .valueStream()
            .filter(it -> it.path("session_uid").asString("").equals("recording:" + recording))
            .map(it -> it.path("text").asString(""))
            .toList();
    demoLog.log(
        room, "transcribed by " + transcriber + ": " + shortened(String.join(" / ", transcript)));
    FakeCrm.CrmNote crmNote = crm.notes().get(recording);
    String held =
        crmNote == null
            ? "the CRM does NOT have it"
            : crmNote.versions() == 1
                ? "the CRM has it once, as note " + crmNote.id()
                : "the CRM received it %d times and has note %s"
                    .formatted(crmNote.versions(), crmNote.id());
    demoLog.log(room, held);
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
          demoLog.log(room, "retry clicked: the spinner is back");
        } else {
          demoLog.log(room, "spinner: its transcript is being pushed to the CRM");
        }
      }
      case "success" -> {
        demoLog.log(room, "green check: the CRM has it");
        if (room.equals(room(first)) && firstSynced.compareAndSet(false, true)) {
          breakTheCrm();
        }
      }
      case "failure" -> {
        demoLog.log(
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
    demoLog.log("In the CRM", "an administrator deletes the property that identifies meetings");
    simulator.play(second);
  }

  private void mendTheCrm(String room, String meeting) {
    crm.idProperty(true);
    demoLog.log("In the CRM", "the property is created again");
    demoLog.log(
        room,
        "click its retry icon in the console (meeting %s); in %d s Olivia does"
            .formatted(meeting, CLICK_WAIT.toSeconds()));
    executor.execute(
        () -> {
          LockSupport.parkNanos(CLICK_WAIT.toNanos());
          if (!clicked.get() && !Thread.currentThread().isInterrupted()) {
            var _ = demoApiClient.post("/sync-status/" + meeting + "/retry", Map.of());
          }
        });
  }

  private static String shortened(String text) {
    return text.isEmpty() ? "nothing" : text.length() <= 160 ? text : text.substring(0, 160) + "…";
  }

  private static String room(SimulationScript simulationScript) {
    return simulationScript.meetings().getFirst().room();
  }

  private static SimulationScript scenario(String name) {
    try (InputStream in = RecordedCallsScript.class.getResourceAsStream(name)) {
      return switch (ScenarioReader.read(Objects.requireNonNull(in).readAllBytes())) {
        case ScenarioParseResult.ValidScenario(SimulationScript simulationScript) ->
            simulationScript;
        case ScenarioParseResult.InvalidScenario(List<String> faults) ->
            throw new IOException(name + ": " + String.join("; ", faults));
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
