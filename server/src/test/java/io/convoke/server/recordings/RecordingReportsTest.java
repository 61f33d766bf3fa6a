package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.convoke.simulator.state.JoinResult;
import io.convoke.simulator.state.Recording.RecordingOutcome;
import io.convoke.simulator.state.RecordingRequest;
import io.convoke.simulator.state.RoomRequest;
import io.convoke.simulator.state.Visitor;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What Daily's webhooks about recordings do not tell: room, kind, and which one has failed. */
class RecordingReportsTest {
  private static final String ONE_RECORDING = "GET /v1/recordings/{id}";
  private static final Duration LENGTH = Duration.ofSeconds(90);
  private static final Duration PROCESSING = Duration.ofSeconds(8);

  @TempDir private Path folder;
  private RecordingsTestKit kit;
  private Node node;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    node = kit.node(Gear.of(FakeTranscriber.willing()));
    kit.start(node);
    kit.webhooksTo(node);
  }

  @AfterEach
  void close() {
    kit.close();
  }

  @Test
  void theRoomOfARecordingThatStartsIsAskedForOnce() {
    kit.sim
        .faults()
        .set(
            FaultKind.WEBHOOK_REPEAT,
            FaultSetting.ALWAYS.on("recording.started").lasting(Duration.ofSeconds(60)));
    long meeting = kit.meeting(kit.ann, "call");
    try (SignalObservation<RecordingRow> moves = node.moves();
        SignalObservation<String> messages = node.recordings().streamConsumer().read().observe()) {
      String id = begin(RecordingRequest.cloud("call"));
      RecordingRow started = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      assertThat(started.meetingId()).contains(meeting);
      assertThat(kit.row(id).room()).isEqualTo("call");
      kit.as(node, kit.ann).get("/recordings/" + id).expect(200);
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");

      kit.clock.advance(Duration.ofSeconds(61));
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
    }
    assertThat(kit.sim.requests().count(ONE_RECORDING)).isEqualTo(1);
  }

  @Test
  void aRoomThatNoLookupTellsIsTakenFromTheListingWithItsMeeting() throws Exception {
    kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on(ONE_RECORDING));
    long meeting = kit.meeting(kit.ann, "call");
    String id;
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      id = begin(RecordingRequest.cloud("call"));
      RecordingRow started = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      assertThat(started.meetingId()).isEmpty();
      assertThat(started.room()).isEmpty();
    }
    kit.as(node, kit.ann).get("/recordings/" + id).expect(404);

    assertThat(listed()).contains(1);
    RecordingRow placed = kit.row(id);
    assertThat(placed.status()).isEqualTo(RecordingStatus.IN_PROGRESS);
    assertThat(placed.meetingId()).contains(meeting);
    assertThat(placed.room()).isEqualTo("call");
    kit.as(node, kit.ann).get("/recordings/" + id).expect(200);
    List<JsonNode> events = kit.events(id);
    assertThat(events).hasSize(2);
    assertThat(events.getLast().path("from").asString()).isEqualTo("in_progress");
    assertThat(events.getLast().path("to").asString()).isEqualTo("in_progress");
    assertThat(events.getLast().path("meeting_id").asLong()).isEqualTo(meeting);
    assertThat(events.getLast().path("user_id").asLong()).isEqualTo(kit.ann);

    assertThat(listed()).contains(0);
    assertThat(kit.events(id)).hasSize(2);
  }

  @Test
  void recordingsThatRunWithoutAMeetingAreReportedTogetherUntilTheyHaveOne() throws Exception {
    String id;
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      id = begin(RecordingRequest.cloud("call"));
      RecordingRow _ = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      for (String room : List.of("two", "three", "four")) {
        String other = begin(RecordingRequest.cloud(room));
        RecordingRow _ = kit.await(moves, other, RecordingStatus.IN_PROGRESS);
      }
    }
    silentFor("30 minutes");
    assertThat(listed()).contains(4);
    assertThat(kit.number("select count(distinct told_at) as n from recordings"))
        .as("one statement")
        .isEqualTo(1);
    assertThat(
            kit.number(
                """
                select count(*) as n from recordings where told_at > now() - interval '5 minutes'
                """))
        .isEqualTo(4);

    long meeting = kit.meeting(kit.ann, "call");
    assertThat(listed()).contains(4);
    assertThat(kit.row(id).meetingId()).contains(meeting);
    silentFor("2 hours");
    assertThat(listed()).contains(3);
    assertThat(kit.sim.requests().count(ONE_RECORDING)).as("of the webhooks").isEqualTo(4);
  }

  /** The listing tells it again and again, and it is given up all the same. */
  @Test
  void aRecordingWithoutAMeetingThatRunsForTooLongIsGivenUp() throws Exception {
    String id;
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      id = begin(RecordingRequest.cloud("unknown"));
      RecordingRow _ = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
    }
    assertThat(listed()).contains(1);
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.IN_PROGRESS);
    kit.database.run(
        tx -> {
          int _ =
              tx.sql("update recordings set state_entered_at = now() - interval '8 days'").update();
        });
    assertThat(listed()).contains(1);
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.GIVEN_UP);
  }

  @Test
  void anErrorAfterWhichTheFileComesIsNotTheEnd() {
    long meeting = kit.meeting(kit.ann, "call");
    try (SignalObservation<RecordingRow> moves = node.moves();
        SignalObservation<String> messages = node.recordings().streamConsumer().read().observe()) {
      String id =
          begin(RecordingRequest.cloud("call").endingWith(RecordingOutcome.FINISHED_AFTER_ERROR));
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      end("call");
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.IN_PROGRESS);

      kit.clock.advance(PROCESSING);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.meetingId()).contains(meeting);
    }
  }

  /** All recordings that were started without an instance id have the same one. */
  @Test
  void anErrorOfAnotherStartLeavesARecordingThatIsMadeIntoAFile() {
    long _ = kit.meeting(kit.ann, "call");
    try (SignalObservation<RecordingRow> moves = node.moves();
        SignalObservation<String> messages = node.recordings().streamConsumer().read().observe()) {
      String id = begin(RecordingRequest.cloud("call"));
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      end("call");
      assertThat(kit.sim.world().failRecordingStart("call")).isTrue();
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.IN_PROGRESS);

      kit.clock.advance(PROCESSING);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
  }

  @Test
  void aLookupWithoutAnAnswerFailsNoRecording() {
    long _ = kit.meeting(kit.ann, "call");
    try (SignalObservation<String> messages = node.recordings().streamConsumer().read().observe()) {
      String id = begin(RecordingRequest.cloud("call"));
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on(ONE_RECORDING));
      assertThat(kit.sim.world().failRecordingStart("call")).isTrue();
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.IN_PROGRESS);
    }
  }

  /** Its error came while the platform did not answer, and nothing follows. */
  @Test
  void aRecordingThatThePlatformLostFailsAfterHours() throws Exception {
    report("r-1", "call", Optional.empty());
    silentFor("5 hours");
    assertThat(listed()).contains(0);
    assertThat(kit.row("r-1").status()).isEqualTo(RecordingStatus.IN_PROGRESS);

    silentFor("7 hours");
    assertThat(listed()).contains(0);
    assertThat(kit.row("r-1").status()).isEqualTo(RecordingStatus.FAILED);
    assertThat(kit.row("r-1").reason())
        .contains("platform_error: the platform no longer has the recording");
  }

  @Test
  void aRecordingForWhichThePlatformNeverAnswersIsGivenUp() throws Exception {
    report("r-1", "call", Optional.empty());
    kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on(ONE_RECORDING));
    silentFor("6 days");
    assertThat(listed()).contains(0);
    assertThat(kit.row("r-1").status()).isEqualTo(RecordingStatus.IN_PROGRESS);

    silentFor("8 days");
    assertThat(listed()).contains(0);
    assertThat(kit.row("r-1").status()).isEqualTo(RecordingStatus.GIVEN_UP);
  }

  @Test
  void aFileThatIsReadyAfterAllIsProcessed() {
    long meeting = kit.meeting(kit.ann, "call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      String id = begin(RecordingRequest.cloud("call"));
      RecordingRow _ = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      fail("call");
      RecordingRow failed = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(failed.run()).isZero();
      kit.sim.faults().clear();

      end("call");
      kit.clock.advance(PROCESSING);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.run()).isEqualTo(1);
    }
    assertThat(kit.words(meeting)).containsExactly("Good morning.", "Shall we begin?");
  }

  @Test
  void aFileThatIsListedAfterAllAndHasNoMeetingIsUnmatched() throws Exception {
    String id;
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      id = begin(RecordingRequest.cloud("unknown"));
      RecordingRow _ = kit.await(moves, id, RecordingStatus.IN_PROGRESS);
      fail("unknown");
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
    }
    kit.sim.faults().clear();
    kit.sim.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS.on("recording.ready"));
    assertThat(listed()).contains(0);
    end("unknown");
    kit.clock.advance(PROCESSING);
    assertThat(listed()).contains(1);
    assertThat(kit.row(id).status()).isEqualTo(RecordingStatus.UNMATCHED);
    assertThat(listed()).contains(0);
  }

  @Test
  void whatABotUploadsIsNotThePlatformsToFail() {
    RecordingStore store = new RecordingStore(kit.database);
    report("r-1", "call", Optional.empty());
    assertThat(store.running("daily", "call", Optional.empty())).hasSize(1);
    assertThat(store.running("daily", "elsewhere", Optional.empty())).isEmpty();
    report("r-1", "call", Optional.of(RecordingParts.KIND));
    assertThat(store.running("daily", "call", Optional.empty())).isEmpty();
  }

  @Test
  void anErrorIsAboutTheRecordingsOfItsRoomFirst() {
    report("r-1", "call", Optional.empty());
    for (String id : List.of("r-2", "r-3", "r-4", "r-5", "r-6")) {
      report(id, "", Optional.empty());
    }
    assertThat(new RecordingStore(kit.database).running("daily", "call", Optional.empty()))
        .extracting(RecordingRow::id)
        .containsExactly("r-1", "r-6", "r-5", "r-4", "r-3");
  }

  @Test
  void aReportWithoutAKindChangesNone() {
    report("r-1", "call", Optional.empty());
    assertThat(kit.row("r-1").kind()).isEqualTo("cloud");
    report("r-1", "call", Optional.of("raw-tracks"));
    report("r-1", "call", Optional.empty());
    assertThat(kit.row("r-1").kind()).isEqualTo("raw-tracks");
  }

  private void silentFor(String time) {
    kit.database.run(
        tx -> {
          int _ = tx.sql("update recordings set told_at = now() - ?::interval").with(time).update();
        });
  }

  private void report(String id, String room, Optional<String> kind) {
    var _ =
        node.recordings()
            .transitions()
            .reported(
                "daily",
                new RecordingInfo(
                    id,
                    room,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Instant.now()),
                    Optional.empty(),
                    PlatformRecordingStatus.RUNNING,
                    kind),
                MeetingAssignment.unknown(List.of()),
                new RecordingEvent.RecordingStarted(),
                "webhook");
  }

  /** The platform reports an error, and says that it has no such recording. */
  private void fail(String room) {
    kit.sim.faults().set(FaultKind.API_404, FaultSetting.ALWAYS.on(ONE_RECORDING));
    assertThat(kit.sim.world().failRecordingStart(room)).isTrue();
  }

  private Optional<Integer> listed() throws InterruptedException {
    kit.unlist();
    return node.recordings().listing().list();
  }

  private String begin(RecordingRequest request) {
    String room = request.room();
    var _ = kit.sim.world().ensure(RoomRequest.named(room));
    JoinResult joined = kit.sim.world().join(room, Visitor.named("Ada"));
    String ada = ((JoinResult.JoinedMeeting) joined).session().sessionId();
    String id = kit.sim.world().startRecording(request).orElseThrow().recordingId();
    boolean _ = kit.sim.world().say(room, ada, "Good morning.");
    return id;
  }

  /** Stops a recording; its file still has to be made. */
  private void end(String room) {
    kit.clock.advance(LENGTH);
    int _ = kit.sim.world().stopRecording(room, Optional.empty());
  }
}
