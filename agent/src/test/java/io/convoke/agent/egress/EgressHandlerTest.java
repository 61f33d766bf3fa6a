package io.convoke.agent.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.convoke.agent.RetryPolicy;
import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore.BlobInfo;
import io.convoke.agent.pod.FakeTaskRun;
import io.convoke.agent.process.WorkFolder;
import io.convoke.engine.dispatch.AttemptHandler.AttemptOutcome;
import io.convoke.engine.json.Json;
import io.convoke.engine.testhook.TestSignal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Recordings whose blob store or Janus fails; a script is their ffmpeg. */
@Timeout(60)
class EgressHandlerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration TICK = Duration.ofMillis(5);
  private static final long MUCH = 1 << 20;

  /**
   * Three segments of a minute of the whole and of one voice at once; then it waits for its end.
   * The file {@code ffmpeg.listed} tells that all are listed. Joining is appending.
   */
  private static final String FFMPEG =
      """
      #!/bin/sh
      case "$*" in
        *concat*)
          for joined in "$@"; do :; done
          sed -n 's/^file //p' list.txt | xargs cat >"$joined"
          ;;
        *)
          trap '' TERM
          for i in 0 1 2; do
            echo "voice $i" >voice-0-0000$i.ogg
            echo "voice-0-0000$i.ogg,$((60 * i)).0,$((60 * i + 60)).0" >>voice-0.csv
          done
          for i in 0 1 2; do
            echo "picture $i" >segment-0000$i.ts
            echo "segment-0000$i.ts,$((60 * i)).0,$((60 * i + 60)).0" >>segments.csv
          done
          : >"$0.listed"
          cat >/dev/null
          ;;
      esac
      """;

  @TempDir private Path folder;
  private final List<String> publishers = new CopyOnWriteArrayList<>(List.of("ada"));

  /** Whose sound Janus forwards; it forgets that when they unpublish. */
  private final Set<String> forwarded = ConcurrentHashMap.newKeySet();

  private final AtomicInteger looks = new AtomicInteger();
  private final TestSignal<String> janusAsked = new TestSignal<>();
  private final TestSignal.SignalObservation<String> asked = janusAsked.observe();

  /** Whether Janus gives no answer to a request of this name. */
  private volatile Predicate<String> janusFails = request -> false;

  /** The name of the program in the folder. */
  private String program = "ffmpeg";

  private HttpServer janus;
  private URI adminUrl;
  private FailingBlobStore blobs;
  private TestSignal.SignalObservation<String> stored;

  @BeforeEach
  void open() throws IOException {
    Path script = Files.writeString(folder.resolve("ffmpeg"), FFMPEG);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    blobs = new FailingBlobStore(folder.resolve("blobs"));
    stored = blobs.stored.observe();
    janus = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
    adminUrl = URI.create("http://127.0.0.1:" + janus.getAddress().getPort() + "/admin");
    janus.createContext(
        "/admin",
        exchange -> {
          JsonNode request =
              Json.read(exchange.getRequestBody().readAllBytes(), JsonNode.class).path("request");
          byte[] answer =
              janusFails.test(request.path("request").asString())
                  ? "away".getBytes(UTF_8)
                  : Json.bytes(Map.of("janus", "success", "response", response(request)));
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
          janusAsked.emit(
              request.path("request").asString() + " " + request.path("publisher_id").asString(""));
        });
    janus.start();
  }

  @AfterEach
  void close() {
    janus.stop(0);
    blobs.close();
  }

  private Map<String, Object> response(JsonNode request) {
    String publisher = request.path("publisher_id").asString("");
    return switch (request.path("request").asString()) {
      case "listparticipants" -> {
        List<Map<String, Object>> all =
            new ArrayList<>(
                publishers.stream()
                    .map(id -> Map.<String, Object>of("id", id, "display", id, "publisher", true))
                    .toList());
        // In no order.
        Collections.rotate(all, looks.incrementAndGet());
        yield Map.of("participants", all);
      }
      case "rtp_forward" -> {
        boolean _ = forwarded.add(publisher);
        yield Map.of(
            "forwarders",
            List.of(
                Map.<String, Object>of(
                    "type",
                    "audio",
                    "port",
                    request.path("streams").path(0).path("port").asInt(),
                    "stream_id",
                    7)));
      }
      case "listforwarders" ->
          Map.of(
              "publishers",
              forwarded.stream()
                  .map(
                      id ->
                          Map.<String, Object>of(
                              "publisher_id",
                              id,
                              "forwarders",
                              List.of(Map.<String, Object>of("type", "audio", "stream_id", 7))))
                  .toList());
      case "stop_rtp_forward" -> forwarded.remove(publisher) ? Map.of() : Map.of("error_code", 428);
      default -> throw new IllegalArgumentException("an unknown request");
    };
  }

  @Test
  void whatTheStoreDoesNotTakeWaitsAndNothingIsMissing() throws Exception {
    AtomicInteger failures = new AtomicInteger(8);
    blobs.fails = call -> call.contains("/segment-00002") && failures.getAndDecrement() > 0;
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00003");
    assertThat(failures.get()).isNegative();
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aPartThatEndsWhileTheStoreIsAwayIsStoredBesideTheNextOne() throws Exception {
    AtomicBoolean away = new AtomicBoolean(true);
    blobs.fails = call -> call.startsWith("put ") && away.get();
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitAsked("rtp_forward ada");
    awaitListed();
    publishers.add("ben");
    awaitAsked("rtp_forward ben");
    away.set(false);
    awaitStored("/001-002/segment-00003");
    stop(task, outcome);
    assertThat(text("recording.mp4").lines()).hasSize(6);
    assertThat(text("speaker-01.ogg").lines()).hasSize(6);
  }

  @Test
  void aRecordingGoesOnWhereJanusListsItsPublishersInAnotherOrder() throws Exception {
    publishers.add("ben");
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00003");
    for (int i = 0; i < 4; i++) {
      awaitAsked("listparticipants ");
    }
    stop(task, outcome);
    assertThat(text("recording.mp4").lines()).hasSize(3);
  }

  @Test
  void aPublisherWhoPublishesAgainBetweenTwoLooksIsForwardedAgain() throws Exception {
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitAsked("rtp_forward ada");
    awaitListed();
    forwarded.clear();
    awaitAsked("rtp_forward ada");
    awaitStored("/001-002/segment-00003");
    stop(task, outcome);
    assertThat(text("recording.mp4").lines()).hasSize(6);
    assertThat(text("speaker-01.ogg").lines()).hasSize(6);
  }

  @Test
  void whatAKilledPodLeftOnTheDiskGoesWithTheNextTask() throws Exception {
    WorkFolder left = WorkFolder.open();
    FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofHours(25)));
    for (Path path : List.of(Files.writeString(left.file("segment"), "x"), left.path())) {
      var _ = Files.setLastModifiedTime(path, longAgo);
    }
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00003");
    stop(task, outcome);
    assertThat(left.path()).doesNotExist();
    assertWhole();
  }

  @Test
  void aRecordingNeedsNoProgress() throws Exception {
    blobs.fails = call -> call.endsWith("/progress.json");
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00003");
    stop(task, outcome);
    assertWhole();
    assertThat(blobs.stat(key("progress.json"))).isEmpty();
  }

  @Test
  void oneAttemptIsEnoughWhereEachCallOfTheStoreFailsTwice() throws Exception {
    Map<String, Integer> calls = new ConcurrentHashMap<>();
    blobs.fails = call -> calls.merge(call, 1, Integer::sum) <= 2;
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00003");
    stop(task, outcome);
    blobs.fails = call -> false;
    assertWhole();
  }

  @Test
  void anAttemptEndsWhenTooMuchWaitsForTheStore() throws Exception {
    blobs.fails = call -> call.contains("/segment-");
    assertThat(reason(start(task(1), 10))).contains("bytes wait for the blob store");
  }

  @Test
  void aStoreThatIsSlowerThanATickEndsNoAttempt() throws Exception {
    blobs.fails =
        call -> call.startsWith("put ") && waits(new CountDownLatch(1), Duration.ofMillis(100));
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, 10, Duration.ofMillis(200), SOON);
    awaitStored("/segment-00003");
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aStoreThatHangsHoldsNoRecordingUp() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    blobs.fails =
        call ->
            call.startsWith("put ")
                && call.endsWith("/part.json")
                && waits(answers, Duration.ofMinutes(1));
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitAsked("rtp_forward ada");
    awaitAsked("listparticipants ");
    awaitListed();
    assertThat(blobs.stat(key("001-001/part.json"))).isEmpty();
    answers.countDown();
    awaitStored("/segment-00003");
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aLookThatFailsLateEndsNoTask() throws Exception {
    FakeTaskRun task = task(1);
    Duration lastWait = Duration.ofMillis(500);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH, TICK, lastWait);
    awaitStored("/segment-00003");
    var _ = asked.drain();
    AtomicBoolean fails = new AtomicBoolean(true);
    janusFails =
        request ->
            request.equals("listparticipants")
                && fails.getAndSet(false)
                && !waits(new CountDownLatch(1), lastWait.plusMillis(200));
    // One may have been answered before, one fails, and the task looks again.
    for (int i = 0; i < 3; i++) {
      awaitAsked("listparticipants ");
    }
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aTaskWhoseJanusNeverAnsweredIsNoSuccess() throws Exception {
    janusFails = request -> true;
    assertThat(reason(start(task(1), MUCH, TICK, Duration.ofMillis(50))))
        .isEqualTo("Janus did not answer");
  }

  @Test
  void whatAnEarlierAttemptRecordedIsJoinedWhereJanusNeverAnswers() throws Exception {
    put("001-001/segment-00001-1772442000000-4000.ts", "picture\n");
    janusFails = request -> true;
    assertThat(get(start(task(2), MUCH, TICK, Duration.ofMillis(50))))
        .isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(text("recording.mp4")).isEqualTo("picture\n");
  }

  @Test
  void anEmptyRoomOfWhichJanusTellsLateIsWatchedFromThenOn() throws Exception {
    publishers.clear();
    Duration noOne = Duration.ofMillis(500);
    AtomicBoolean first = new AtomicBoolean(true);
    janusFails =
        request -> first.getAndSet(false) && waits(new CountDownLatch(1), noOne.plusMillis(200));
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH, TICK, noOne);
    awaitAsked("listparticipants ");
    publishers.add("ada");
    awaitStored("/segment-00003");
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aTaskThatIsStoppedWhileJanusIsAwayIsJoined() throws Exception {
    FakeTaskRun task = task(1);
    CompletableFuture<AttemptOutcome> outcome = start(task, MUCH);
    awaitStored("/segment-00001");
    janus.stop(0);
    stop(task, outcome);
    assertWhole();
  }

  @Test
  void aLaterAttemptNeedsNoJanusToJoinWhatThereIs() throws Exception {
    put(
        "001-001/part.json",
        """
        {"publishers": [], "forwards": [{"publisher": "ada", "stream": 7}]}
        """);
    put("001-001/segment-00001-1772442000000-4000.ts", "picture\n");
    janus.stop(0);
    FakeTaskRun task = task(2);
    task.stop();
    assertThat(get(start(task, MUCH))).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(text("recording.mp4")).isEqualTo("picture\n");
    assertThat(Json.read(text("result.json")).path("attempts").asInt()).isEqualTo(2);
  }

  /** Its pod ended while it joined, and a stopped task does not start again. */
  @Test
  void whatATaskLeftWithoutAResultIsJoinedByAnotherTask() throws Exception {
    put("002-001/segment-00001-1772442000000-4000.ts", "picture\n");
    put(
        "progress.json",
        """
        {"cpu_seconds": 1.5}
        """);
    FakeTaskRun another = finish("t-2", "t-1");
    assertThat(get(start(another, MUCH))).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(text("recording.mp4")).isEqualTo("picture\n");
    JsonNode result = Json.read(text("result.json"));
    assertThat(result.path("kind").asString()).isEqualTo("record");
    assertThat(result.path("room").asString()).isEqualTo("stage");
    assertThat(result.path("attempts").asInt()).isEqualTo(2);
    assertThat(result.path("cpu_seconds").asDouble()).isEqualTo(1.5);
    assertThat(result.path("gaps").size()).isZero();
    assertThat(blobs.list("egress/t-2/", Optional.empty(), 1).blobs()).isEmpty();
  }

  @Test
  void nothingIsStoredForATaskWhoseFilesAreDeleted() throws Exception {
    put("progress.json", "{}");
    assertThat(get(start(finish("t-2", "t-1"), MUCH))).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(blobs.stat(key("result.json"))).isEmpty();
  }

  @Test
  void theNoteOfAPartIsReadOnceToJoinIt() throws Exception {
    put(
        "001-001/part.json",
        """
        {"publishers": [
          {"voice": 0, "id": "1", "name": "ada"}, {"voice": 1, "id": "2", "name": "ben"}]}
        """);
    put("001-001/segment-00001-1772442000000-4000.ts", "picture\n");
    for (int i = 1; i <= 5; i++) {
      put("001-001/voice-0-0000" + i + "-177244200000" + i + "-4000.ogg", "ada " + i + "\n");
      put("001-001/voice-1-0000" + i + "-177244200000" + i + "-4000.ogg", "ben " + i + "\n");
    }
    List<String> calls = Collections.synchronizedList(new ArrayList<>());
    blobs.fails = call -> !calls.add(call);
    FakeTaskRun task = task(1);
    task.stop();
    assertThat(get(start(task, MUCH))).isEqualTo(new AttemptOutcome.AttemptDone());
    assertThat(calls).containsOnlyOnce("open egress/t-1/001-001/part.json");
    assertThat(text("speaker-01.ogg")).isEqualTo("ada 1\nada 2\nada 3\nada 4\nada 5\n");
    assertThat(text("speaker-02.ogg")).isEqualTo("ben 1\nben 2\nben 3\nben 4\nben 5\n");
  }

  @Test
  void aPushWhoseFfmpegEndsAtOnceThreeTimesIsToldToItsUser() throws Exception {
    Path _ =
        Files.writeString(
            folder.resolve("ffmpeg"),
            """
            #!/bin/sh
            for target in "$@"; do :; done
            echo "Error opening $target: Connection refused" >&2
            exit 1
            """);
    FakeTaskRun task =
        task(
            1,
            """
            {"kind": "push", "url": "rtmp://127.0.0.1/live/%s", "access_token": "s"}
            """
                .formatted("key".repeat(200)));
    assertThat(reason(start(task, MUCH)))
        .isEqualTo("ffmpeg: Error opening rtmp://127.0.0.1: Connection refused");
    assertThat(blobs.list("egress/t-1/0", Optional.empty(), 10).blobs())
        .extracting(BlobInfo::key)
        .containsExactly(
            "egress/t-1/001-001/part.json",
            "egress/t-1/001-002/part.json",
            "egress/t-1/001-003/part.json");
  }

  /** As with a full disk: the room is not recorded by this pod, and Janus answers. */
  @Test
  void aPodThatCannotBeginARecordingGivesTheTaskBack() throws Exception {
    program = "\0";
    assertThat(reason(start(task(1), MUCH))).contains("null character");
    assertThat(forwarded).isEmpty();
  }

  private CompletableFuture<AttemptOutcome> start(FakeTaskRun task, long waitingMax) {
    return start(task, waitingMax, TICK, SOON);
  }

  private CompletableFuture<AttemptOutcome> start(
      FakeTaskRun task, long waitingMax, Duration tick, Duration noOne) {
    EgressHandler handler =
        new EgressHandler(
            new EgressConfig(
                adminUrl,
                "secret",
                "key",
                "127.0.0.1",
                folder + "/" + program,
                noOne,
                noOne,
                tick,
                waitingMax,
                new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(4), SOON)),
            blobs);
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return handler.run(task.context());
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        Thread::startVirtualThread);
  }

  private static AttemptOutcome get(CompletableFuture<AttemptOutcome> outcome) throws Exception {
    return outcome.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** Stops a task, which ends well. */
  private static void stop(FakeTaskRun task, CompletableFuture<AttemptOutcome> outcome)
      throws Exception {
    task.stop();
    assertThat(get(outcome)).isEqualTo(new AttemptOutcome.AttemptDone());
  }

  /** Why the task is to be tried again. */
  private static String reason(CompletableFuture<AttemptOutcome> outcome) throws Exception {
    return ((AttemptOutcome.AttemptRetry) get(outcome)).reason();
  }

  private static FakeTaskRun task(int attempt) {
    return task(attempt, "{\"kind\": \"record\", \"access_token\": \"s\"}");
  }

  private static FakeTaskRun task(int attempt, String payload) {
    return task("t-1", "start", attempt, payload);
  }

  private static FakeTaskRun finish(String id, String of) {
    return task(
        id,
        "finish",
        1,
        """
        {"kind": "record", "of": "%s"}
        """
            .formatted(of));
  }

  private static FakeTaskRun task(String id, String action, int attempt, String payload) {
    ObjectNode task = Json.mapper().createObjectNode();
    task.put("action", action);
    task.put("id", id).put("type", "egress").put("channel", "stage").put("attempt", attempt);
    var _ = task.set("payload", Json.read(payload));
    return new FakeTaskRun(task);
  }

  /** Waits for a latch; whether that was interrupted. */
  private static boolean waits(CountDownLatch latch, Duration atMost) {
    try {
      boolean _ = latch.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
      return false;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void awaitListed() {
    long deadline = System.nanoTime() + SOON.toNanos();
    while (!Files.exists(folder.resolve("ffmpeg.listed"))) {
      assertThat(System.nanoTime() - deadline).as("ffmpeg lists nothing").isNegative();
      LockSupport.parkNanos(10_000_000);
    }
  }

  private void awaitStored(String part) {
    String _ = stored.await(key -> key.contains(part), SOON);
  }

  private void awaitAsked(String request) {
    String _ = asked.await(request::equals, SOON);
  }

  private static BlobKey key(String name) {
    return new BlobKey("egress/t-1/" + name);
  }

  private void put(String name, String text) throws IOException {
    var _ = blobs.put(key(name), new ByteArrayInputStream(text.getBytes(UTF_8)));
  }

  private String text(String name) throws IOException {
    return new String(blobs.read(key(name), 0, 1 << 20).orElseThrow(), UTF_8);
  }

  /** One attempt, all of its segments in each file, and no gap. */
  private void assertWhole() throws IOException {
    assertThat(text("recording.mp4")).isEqualTo("picture 0\npicture 1\npicture 2\n");
    assertThat(text("speaker-01.ogg")).isEqualTo("voice 0\nvoice 1\nvoice 2\n");
    JsonNode result = Json.read(text("result.json"));
    assertThat(result.path("attempts").asInt()).isEqualTo(1);
    assertThat(result.path("gaps").size()).isZero();
    assertThat(result.path("files").size()).isEqualTo(2);
  }
}
