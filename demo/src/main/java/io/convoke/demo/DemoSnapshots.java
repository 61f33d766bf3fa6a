package io.convoke.demo;

import io.convoke.simulator.state.SimulationEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Snapshots of some meetings, taken by pods in two regions. The first pod of the far region that
 * runs a task is killed while it runs: the task continues in the other region as another attempt,
 * and a new pod starts.
 */
final class DemoSnapshots {
  /** One of so many meetings gets snapshots. */
  private static final int EVERY = 3;

  private static final int INTERVAL_MS = 5_000;
  private static final Duration BEFORE_THE_KILL = Duration.ofSeconds(12);
  private static final Duration BEFORE_THE_NEXT = Duration.ofSeconds(10);
  private static final String TASK = "task:";

  private final DemoApiClient demoApiClient;
  private final DemoPods demoPods;
  private final Path pictures;
  private final DemoLog demoLog;
  private final ExecutorService executor;
  private final Map<String, String> rooms = new ConcurrentHashMap<>();
  private final AtomicInteger meetings = new AtomicInteger();
  private final AtomicBoolean killed = new AtomicBoolean();

  /** {@code pictures} is the folder of all snapshots. */
  DemoSnapshots(
      DemoApiClient demoApiClient,
      DemoPods demoPods,
      Path pictures,
      DemoLog demoLog,
      ExecutorService executor) {
    this.demoApiClient = demoApiClient;
    this.demoPods = demoPods;
    this.pictures = pictures;
    this.demoLog = demoLog;
    this.executor = executor;
  }

  /** Handles a change on the platform. */
  void onSimulation(SimulationEvent event) {
    if (event instanceof SimulationEvent.MeetingStarted started) {
      int number = meetings.getAndIncrement();
      if (number % EVERY == 0) {
        String region = number % (2 * EVERY) == 0 ? DemoPods.AMERICA : DemoPods.EUROPE;
        executor.execute(() -> order(started.room(), region));
      }
    } else if (event instanceof SimulationEvent.MeetingEnded ended) {
      executor.execute(() -> stop(ended.room()));
    }
  }

  private void order(String room, String region) {
    String id = "demo-" + System.nanoTime();
    // Before the request: the pod may be faster than its response.
    var _ = rooms.put(id, room);
    DemoApiClient.DemoApiReply demoApiReply =
        demoApiClient.post(
            "/tasks",
            Map.of(
                "id",
                id,
                "request_id",
                id,
                "type",
                "snapshot",
                "action",
                "start",
                "channel",
                room,
                "region",
                region,
                "payload",
                Map.of("interval_in_ms", INTERVAL_MS, "layout", "flat")));
    if (demoApiReply.good()) {
      demoLog.log(room, "snapshots are requested in " + region);
    } else {
      var _ = rooms.remove(id);
      demoLog.log(room, "no pictures: " + demoApiReply.body().path("detail").asString(""));
    }
  }

  private void stop(String room) {
    rooms.entrySet().stream()
        .filter(task -> task.getValue().equals(room))
        .forEach(task -> demoApiClient.post("/tasks/" + task.getKey() + "/stop", Map.of()));
  }

  /** Handles an event of Convoke about a task. */
  void onEvent(JsonNode event) {
    String subject = event.path("subject").asString("");
    String room = subject.startsWith(TASK) ? rooms.get(subject.substring(TASK.length())) : null;
    if (room == null) {
      return;
    }
    JsonNode data = event.path("data");
    switch (event.path("type").asString("")) {
      case "task.pending" -> {
        if (data.path("attempt").asInt(0) > 0) {
          demoLog.log(room, "its snapshot task is back at the head of the queue");
        }
      }
      case "task.processing" -> begun(room, data);
      case "task.success" -> {
        String task = subject.substring(TASK.length());
        var _ = rooms.remove(task);
        demoLog.log(room, pictures(task));
      }
      case "task.failed", "task.timeout" -> {
        var _ = rooms.remove(subject.substring(TASK.length()));
        demoLog.log(room, "no more snapshots: " + data.path("error").asString(""));
      }
      default -> {}
    }
  }

  private void begun(String room, JsonNode data) {
    String region = demoPods.region(data.path("pod_id").asString("")).orElse("a region");
    demoLog.log(
        room,
        "slot %d of the pod in %s takes snapshots, attempt %d"
            .formatted(data.path("worker_id").asInt(0), region, data.path("attempt").asInt(0)));
    if (region.equals(DemoPods.AMERICA) && killed.compareAndSet(false, true)) {
      executor.execute(
          () -> {
            LockSupport.parkNanos(BEFORE_THE_KILL.toNanos());
            demoLog.log("In " + region, "the pod is killed with -9");
            demoPods.kill(region);
            LockSupport.parkNanos(BEFORE_THE_NEXT.toNanos());
            demoPods.launch(region);
            demoLog.log("In " + region, "another pod starts");
          });
    }
  }

  private String pictures(String task) {
    Path folder = pictures.resolve(task);
    if (!Files.isDirectory(folder)) {
      return "no snapshot was taken";
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.count() + " snapshots in " + folder;
    } catch (IOException e) {
      return "its snapshots cannot be counted: " + e.getMessage();
    }
  }
}
