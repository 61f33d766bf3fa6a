package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.platform.RateLimiter;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import io.lettuce.core.SetArgs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** From a ready recording to its note in the CRM, with failures of each step. */
class PipelineTest {
  private static final String SECRET = "the-crm-secret";

  @TempDir private Path folder;
  private RecordingsTestKit kit;
  private FakeCrm crm;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    crm = new FakeCrm(SECRET);
  }

  @AfterEach
  void close() {
    kit.close();
    crm.close();
  }

  @Test
  void aRecordingBecomesATranscriptAndOneNoteInTheCrm() throws Exception {
    Node node = kit.node(generic(FakeTranscriber.willing()));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    RecordingRow done = process(node, id, RecordingStatus.DONE);
    assertThat(done.steps().all())
        .allMatch(step -> step.state() == RecordingStep.RecordingStepState.DONE);
    assertThat(done.audio().orElseThrow().size()).isGreaterThan(90 * 32_000L);
    assertThat(kit.words(meeting)).containsExactly("Good morning.", "Shall we begin?");
    assertThat(crm.complaints()).isEmpty();
    assertThat(crm.notes()).containsOnlyKeys("recording:" + id);
    JsonNode note = note(id);
    assertThat(note.path("meeting_id").asLong()).isEqualTo(meeting);
    assertThat(note.path("lines").findValuesAsString("text"))
        .containsExactly("Good morning.", "Shall we begin?");
    assertThat(kit.reports)
        .extracting(SyncStepListener.SyncStepReport::step, SyncStepListener.SyncStepReport::status)
        .containsExactly(
            tuple("prepare", SyncStepListener.SyncStepStatus.IN_PROGRESS),
            tuple("prepare", SyncStepListener.SyncStepStatus.SUCCESS),
            tuple("transform", SyncStepListener.SyncStepStatus.IN_PROGRESS),
            tuple("transform", SyncStepListener.SyncStepStatus.SUCCESS),
            tuple("push", SyncStepListener.SyncStepStatus.IN_PROGRESS),
            tuple("push", SyncStepListener.SyncStepStatus.SUCCESS));
    assertThat(kit.reports.getLast().summary().status())
        .isEqualTo(SyncStepListener.SyncStepStatus.SUCCESS);
    assertThat(kit.events(id)).last().extracting(it -> it.path("to").asString()).isEqualTo("done");
  }

  /** The summary of a transcript takes longer than the push of its note. */
  @Test
  void aNoteIsSentAgainWithTheSummaryAndTheSummaryGoesWithTheRecording() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.waiting();
    Node node = kit.node(generic(transcriber));
    List<Long> transcribed = new CopyOnWriteArrayList<>();
    node.recordings().onTranscribed((tx, of) -> transcribed.add(of));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      Optional<Integer> _ = node.recordings().listing().list();
      assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(again(node, meeting)).isFalse();
      transcriber.let();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(transcribed).containsExactly(meeting);
      assertThat(note(id).path("summary").isNull()).isTrue();
      assertThat(again(node, meeting)).isTrue();
      assertThat(kit.row(id).run()).isEqualTo(1);

      summarize(meeting);
      assertThat(again(node, meeting)).isTrue();
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.run()).isEqualTo(2);
      assertThat(note(id).path("summary").asString()).isEqualTo("They begin.");
      assertThat(again(node, meeting)).isTrue();
      assertThat(kit.row(id).run()).isEqualTo(2);
    }
    assertThat(transcriber.calls).hasValue(1);
    assertThat(crm.notes()).containsOnlyKeys("recording:" + id);
    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
    assertThat(
            kit.number(
                """
                select count(*) as n from meeting_summaries
                where status = 'deleted' and text is null
                """))
        .isEqualTo(1);
  }

  /** The CRM refuses the note before the summary is written and a word is corrected. */
  @Tag("nightly")
  @Test
  void aRetryAfterAFailedPushSendsTheSummaryAndTheCorrectedWords() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.willing();
    Node node = kit.node(generic(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    crm.faults().next("POST", new RequestFaults.RequestFault.RefuseRequest(422));
    crm.faults().next("POST", new RequestFaults.RequestFault.RefuseRequest(422));
    RecordingRow failed = process(node, id, RecordingStatus.FAILED);
    assertThat(failed.steps().of(StepName.PUSH).state())
        .isEqualTo(RecordingStep.RecordingStepState.FAILED);
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      // Nothing is new: it goes on where it stopped.
      assertThat(retrySync(node, meeting)).isEqualTo(1);
      RecordingRow again = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(again.steps().of(StepName.PREPARE).attempts()).isEqualTo(1);

      summarize(meeting);
      assertThat(again(node, meeting)).isTrue();
      correct("Shall we start?");
      kit.as(node, kit.ann).post("/recordings/" + id + "/retry", Map.of()).expect(202);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.steps().of(StepName.PREPARE).attempts()).isEqualTo(2);
    }
    assertThat(note(id).path("summary").asString()).isEqualTo("They begin.");
    assertThat(note(id).path("lines").findValuesAsString("text"))
        .containsExactly("Good morning.", "Shall we start?");
    assertThat(transcriber.calls).hasValue(1);
    assertThat(crm.complaints()).isEmpty();
  }

  /** The CRM answers a key that it knows as at first, and keeps what it has. */
  @Tag("nightly")
  @Test
  void aNoteThatIsChangedBackIsSentUnderAKeyOfItsOwnAndARepeatedAttemptUnderTheSame()
      throws Exception {
    Node node = kit.node(generic(FakeTranscriber.willing()));
    long _ = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    crm.faults().next("POST", new RequestFaults.RequestFault.LoseAnswer());
    RecordingRow _ = process(node, id, RecordingStatus.DONE);
    for (String text : List.of("Shall we start?", "Shall we begin?")) {
      correct(text);
      try (SignalObservation<RecordingRow> moves = node.moves()) {
        kit.as(node, kit.ann)
            .post("/recordings/" + id + "/retry", Map.of("step", "prepare"))
            .expect(202);
        RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      }
    }
    List<FakeCrm.GenericCrmPost> posts = crm.posts();
    assertThat(posts).hasSize(4);
    assertThat(posts.get(1).key()).isEqualTo(posts.get(0).key());
    assertThat(posts.get(3).body()).isEqualTo(posts.get(0).body());
    assertThat(posts.get(3).key()).isNotEqualTo(posts.get(0).key());
    assertThat(note(id).path("lines").findValuesAsString("text"))
        .containsExactly("Good morning.", "Shall we begin?");
    assertThat(crm.complaints()).isEmpty();
  }

  /** Gives the second line another text. */
  private void correct(String text) {
    kit.database.run(
        tx -> {
          int _ =
              tx.sql("update transcriptions set shown_text = ? where text = 'Shall we begin?'")
                  .with(text)
                  .update();
        });
  }

  private void summarize(long meeting) {
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into meeting_summaries (meeting_id, status, text)
                      values (?, 'done', 'They begin. [1]')
                      """)
                  .with(meeting)
                  .update();
        });
  }

  private boolean again(Node node, long meeting) {
    return kit.database.transaction(tx -> node.recordings().sendAgain(tx, meeting));
  }

  @Test
  void brokenDownloadsGoOnAndExpiredLinksAreAskedForAgain() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long _ = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    kit.sim.faults().set(FaultKind.LINK_EXPIRED, FaultSetting.ALWAYS.times(2));
    kit.sim.faults().set(FaultKind.DOWNLOAD_CUT, FaultSetting.ALWAYS.times(3));
    kit.sim.faults().set(FaultKind.API_500, FaultSetting.ALWAYS.on("access-link").times(2));
    RecordingRow done = process(node, id, RecordingStatus.DONE);
    assertThat(kit.sim.faults().strikes())
        .containsEntry(FaultKind.LINK_EXPIRED, 2L)
        .containsEntry(FaultKind.DOWNLOAD_CUT, 3L);
    RecordingStep download = done.steps().of(StepName.DOWNLOAD);
    assertThat(download.attempts()).isEqualTo(3);
    assertThat(download.error()).isEmpty();
  }

  @Test
  void segmentsAreReadableAsTheyArriveAndStayWhenTheRestFails() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.waiting();
    Node node = kit.node(Gear.of(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      Optional<Integer> _ = node.recordings().listing().list();
      assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(kit.words(meeting)).containsExactly("Good morning.");
      transcriber.fail(new IOException("the graphics card is hot"));
      transcriber.fail(new Exception("this is music"));
      transcriber.let();
      RecordingRow failed = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(failed.reason()).contains("transcribe: this is music");
    }
    assertThat(transcriber.calls).hasValue(2);
    assertThat(kit.words(meeting)).containsExactly("Good morning.");
    assertThat(open(id)).isTrue();

    // A retry begins at the failed step; the audio is not downloaded again.
    long downloads = downloads();
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.as(node, kit.ann).post("/recordings/" + id + "/retry", Map.of()).expect(202);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.run()).isEqualTo(2);
    }
    assertThat(downloads()).isEqualTo(downloads);
    assertThat(kit.words(meeting)).containsExactly("Good morning.", "Shall we begin?");
    assertThat(open(id)).isFalse();
  }

  @Test
  void aCrmThatFailsForAWhileIsAskedAgainAndKeepsOneNote() throws Exception {
    Node node = kit.node(generic(FakeTranscriber.willing()));
    long _ = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    crm.faults().next("POST", new RequestFaults.RequestFault.RefuseRequest(500));
    crm.faults().next("POST", new RequestFaults.RequestFault.LoseAnswer());
    crm.faults().next("POST", new RequestFaults.RequestFault.RefuseRequest(429));
    RecordingRow done = process(node, id, RecordingStatus.DONE);
    assertThat(done.steps().of(StepName.PUSH).attempts()).isEqualTo(4);
    assertThat(crm.notes()).hasSize(1);
    assertThat(crm.notes().get("recording:" + id)).matches(crmNote -> crmNote.versions() == 1);
    assertThat(crm.complaints()).isEmpty();
  }

  @Tag("nightly")
  @Test
  void aSyncThatFailedAtTheSecondJobSucceedsAfterTheRetry() throws Exception {
    Node node =
        kit.node(
            Gear.of(FakeTranscriber.willing())
                .with(
                    CrmConnectorFactory.hubSpot(
                        crm.hubSpotUrl(),
                        Optional.of(SECRET),
                        Optional.empty(),
                        RateLimiter.unlimited())));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    // HubSpot requires the meeting's start, which is unknown here.
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      Optional<Integer> _ = node.recordings().listing().list();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(crm.complaints()).isEmpty();
    int _ =
        kit.database.read(
            tx ->
                tx.sql("update recordings set start_time = null where recording_id = ?")
                    .with(id)
                    .update());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "prepare"))
          .expect(202);
      RecordingRow failed = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(failed.steps().of(StepName.PREPARE).state())
          .isEqualTo(RecordingStep.RecordingStepState.DONE);
      assertThat(failed.steps().of(StepName.TRANSFORM).state())
          .isEqualTo(RecordingStep.RecordingStepState.FAILED);
      assertThat(kit.reports.getLast().status()).isEqualTo(SyncStepListener.SyncStepStatus.FAILURE);
      assertThat(kit.reports.getLast().step()).isEqualTo("transform");
      assertThat(kit.reports.getLast().run()).isEqualTo(2);
    }
    int _ =
        kit.database.read(
            tx ->
                tx.sql("update recordings set start_time = now() where recording_id = ?")
                    .with(id)
                    .update());
    int _ =
        kit.database.read(
            tx ->
                tx.sql("delete from recording_documents where recording_id = ?").with(id).update());
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(retrySync(node, meeting)).isEqualTo(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "prepare"))
          .expect(202);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(crm.notes()).containsOnlyKeys(id);
    assertThat(retrySync(node, meeting)).isZero();
  }

  /** As after the retention of audio, where no platform has the file any more. */
  @Test
  void aRetryFromTheNoteTakesTheWordsThatAreThereWhereTheAudioIsNotKept() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.willing();
    Node node = kit.node(generic(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    RecordingRow _ = process(node, id, RecordingStatus.DONE);
    int _ =
        kit.database.read(
            tx -> tx.sql("update recordings set blob_key = null, blob_sha256 = null").update());
    String retry = "/recordings/" + id + "/retry";
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      kit.as(node, kit.ann).post(retry, Map.of("step", "transcribe")).expect(202);
      RecordingRow failed = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(failed.reason()).contains("transcribe: there is no audio; download it again");

      correct("Shall we start?");
      kit.as(node, kit.ann).post(retry, Map.of("step", "push")).expect(202);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.steps().all())
          .allMatch(step -> step.state() == RecordingStep.RecordingStepState.DONE);
    }
    assertThat(transcriber.calls).hasValue(1);
    assertThat(kit.words(meeting)).hasSize(2);
    assertThat(note(id).path("lines").findValuesAsString("text"))
        .containsExactly("Good morning.", "Shall we start?");
    assertThat(crm.complaints()).isEmpty();
  }

  @Tag("nightly")
  @Test
  void aPropertyThatTheCrmHasLostFailsTheSecondJobUntilItIsMadeAgain() throws Exception {
    Node node =
        kit.node(
            Gear.of(FakeTranscriber.willing())
                .with(
                    CrmConnectorFactory.hubSpot(
                        crm.hubSpotUrl(),
                        Optional.of(SECRET),
                        Optional.empty(),
                        RateLimiter.unlimited())));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    crm.idProperty(false);
    RecordingRow failed = process(node, id, RecordingStatus.FAILED);
    assertThat(failed.steps().of(StepName.PREPARE).state())
        .isEqualTo(RecordingStep.RecordingStepState.DONE);
    assertThat(failed.steps().of(StepName.TRANSFORM).state())
        .isEqualTo(RecordingStep.RecordingStepState.FAILED);
    assertThat(failed.steps().of(StepName.TRANSFORM).error())
        .hasValueSatisfying(why -> assertThat(why).contains(FakeCrm.ID_PROPERTY));
    assertThat(crm.notes()).isEmpty();

    crm.idProperty(true);
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(retrySync(node, meeting)).isPositive();
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.steps().of(StepName.TRANSFORM).attempts()).isEqualTo(2);
      assertThat(done.steps().of(StepName.PREPARE).attempts()).isEqualTo(1);
    }
    assertThat(crm.notes()).containsOnlyKeys(id);
    assertThat(crm.notes().get(id)).matches(crmNote -> crmNote.versions() == 1);
    assertThat(crm.complaints()).isEmpty();
  }

  private int retrySync(Node node, long meeting) {
    return kit.database.transaction(tx -> node.recordings().retrySync(tx, meeting, "user:1"));
  }

  @Tag("nightly")
  @Test
  void aStrangersLockIsWaitedForAndThatOfADeadAttemptIsTakenOver() throws Exception {
    Node node = kit.node(Gear.of(FakeTranscriber.willing()));
    long _ = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    // Another worker has just begun.
    hold(id, "convoke-dead:1:recording-" + id);
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).isEmpty();
      assertThat(moves.drain()).isEmpty();
      kit.unlist();
      long _ = kit.redis.call(commands -> commands.del("recording:" + id));
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);

      // The second run finds the lock of a process that died within this very run.
      hold(id, "convoke-dead:2:recording-" + id + "-2");
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "transcribe"))
          .expect(202);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.steps().of(StepName.TRANSCRIBE).attempts()).isEqualTo(2);
      assertThat(done.steps().of(StepName.DOWNLOAD).attempts()).isEqualTo(1);
    }
    long locks = kit.redis.call(commands -> commands.exists("recording:" + id));
    assertThat(locks).isZero();
  }

  @Tag("nightly")
  @Test
  void withoutRedisTheWorkGoesOnWithoutTheLock() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.waiting();
    Node node = kit.node(Gear.of(transcriber));
    long meeting = kit.meeting(kit.ann, "call");
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      Optional<Integer> _ = node.recordings().listing().list();
      assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
      kit.redisServer.kill();
      transcriber.let();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
    }
    assertThat(kit.words(meeting)).hasSize(2);
  }

  private void hold(String id, String token) {
    String _ =
        kit.redis.call(
            commands ->
                commands.set("recording:" + id, token, SetArgs.Builder.px(Duration.ofMinutes(10))));
  }

  private Gear generic(FakeTranscriber transcriber) {
    return Gear.of(transcriber)
        .with(CrmConnectorFactory.generic(crm.notesUrl(), Optional.of(SECRET)));
  }

  private RecordingRow process(Node node, String id, RecordingStatus end) throws Exception {
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      return kit.await(moves, id, end);
    }
  }

  private JsonNode note(String id) {
    FakeCrm.CrmNote crmNote = crm.notes().get("recording:" + id);
    if (crmNote == null) {
      throw new AssertionError("no note of " + id);
    }
    return crmNote.body();
  }

  private boolean open(String id) {
    return kit.number(
            "select transcript_open::int as n from recordings where recording_id = '" + id + "'")
        == 1;
  }

  private long downloads() {
    return kit.sim.requests().recent().stream()
        .filter(request -> request.route().contains("access-link"))
        .count();
  }
}
