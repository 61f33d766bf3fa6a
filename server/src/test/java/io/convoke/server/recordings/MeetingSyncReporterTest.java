package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.launch.Await;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.recordings.SyncStepListener.SyncStepStatus;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The combined sync status of several recordings of one meeting (F-43: partial success is none).
 */
class MeetingSyncReporterTest {
  private static final String SECRET = "the-crm-secret";

  @TempDir private Path folder;
  private RecordingsTestKit kit;
  private FakeCrm crm;
  private long meeting;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    crm = new FakeCrm(SECRET);
    meeting = kit.meeting(kit.ann, "call");
  }

  @AfterEach
  void close() {
    kit.close();
    crm.close();
  }

  private Node serve(FakeTranscriber transcriber) {
    return kit.node(
        Gear.of(transcriber)
            .with(CrmConnectorFactory.generic(crm.notesUrl(), Optional.of(SECRET))));
  }

  @Test
  void oneRecordingThatIsSyncedDoesNotHideAnotherThatIsNot() throws Exception {
    Node node = serve(FakeTranscriber.willing());
    String refused = kit.record("call");
    String accepted = kit.record("call");
    crm.faults()
        .next(
            fakeRequest -> fakeRequest.text().contains(refused),
            new RequestFaults.RequestFault.RefuseRequest(422));
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(2);
      RecordingRow first = moves.await(row -> row.status().terminal(), RecordingsTestKit.SOON);
      String other = first.id().equals(refused) ? accepted : refused;
      RecordingRow _ =
          moves.await(
              row -> row.id().equals(other) && row.status().terminal(), RecordingsTestKit.SOON);
    }
    assertThat(kit.row(refused).status()).isEqualTo(RecordingStatus.FAILED);
    assertThat(kit.row(accepted).status()).isEqualTo(RecordingStatus.DONE);
    SyncStepListener.MeetingSyncSummary meetingSyncSummary = kit.reports.getLast().summary();
    assertThat(meetingSyncSummary.status()).isEqualTo(SyncStepStatus.FAILURE);
    assertThat(meetingSyncSummary.error().orElseThrow()).contains("the CRM answered 422");

    // A retry repeats the failed one, although it is not the newest.
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      int again =
          kit.database.transaction(tx -> node.recordings().retrySync(tx, meeting, "user:1"));
      assertThat(again).isEqualTo(1);
      RecordingRow _ = kit.await(moves, refused, RecordingStatus.DONE);
    }
    assertThat(kit.reports.getLast().summary().status()).isEqualTo(SyncStepStatus.SUCCESS);
    assertThat(crm.notes()).hasSize(2);
  }

  @Test
  void aFailedRecordingThatIsDeletedFailsTheSyncOfAnotherNoLonger() throws Exception {
    Node node = serve(FakeTranscriber.willing());
    String refused = kit.record("call");
    String accepted = kit.record("call");
    crm.faults()
        .next(
            fakeRequest -> fakeRequest.text().contains(refused),
            new RequestFaults.RequestFault.RefuseRequest(422));
    assertThat(node.recordings().listing().list()).contains(2);
    Await.until(
        "both recordings",
        () ->
            kit.row(refused).status() == RecordingStatus.FAILED
                && kit.row(accepted).status() == RecordingStatus.DONE);
    kit.as(node, kit.ann).delete("/recordings/" + refused).expect(204);
    assertThat(kit.reports.getLast().summary())
        .isEqualTo(
            new SyncStepListener.MeetingSyncSummary(SyncStepStatus.SUCCESS, Optional.empty()));
  }

  /** The failure may have been dismissed, or be older than the CRM. */
  @Test
  void aFailedRecordingThatIsDeletedDoesNotFailTheSyncAgain() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.willing();
    transcriber.fail(new Exception("this is noise"));
    Node node = serve(transcriber);
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
    }
    List<SyncStepListener.SyncStepReport> before = List.copyOf(kit.reports);
    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
    assertThat(kit.reports).isEqualTo(before);
  }

  @Tag("nightly")
  @Test
  void aRecordingThatFailsBeforeItsNoteFailsTheSyncInItsFirstRunAndInALaterOne() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.willing();
    transcriber.fail(new Exception("this is noise"));
    Node node = serve(transcriber);
    String id = kit.record("call");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
      assertThat(kit.reports.getLast().summary())
          .isEqualTo(
              new SyncStepListener.MeetingSyncSummary(
                  SyncStepStatus.FAILURE, Optional.of("transcribe: this is noise")));
      int again =
          kit.database.transaction(tx -> node.recordings().retrySync(tx, meeting, "user:1"));
      assertThat(again).isEqualTo(1);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);
      transcriber.fail(new Exception("this is music"));
      kit.as(node, kit.ann)
          .post("/recordings/" + id + "/retry", Map.of("step", "transcribe"))
          .expect(202);
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
    }
    SyncStepListener.MeetingSyncSummary meetingSyncSummary = kit.reports.getLast().summary();
    assertThat(meetingSyncSummary.status()).isEqualTo(SyncStepStatus.FAILURE);
    assertThat(meetingSyncSummary.error()).contains("transcribe: this is music");
  }

  @Tag("nightly")
  @Test
  void aRecordingThatIsDeletedOnItsWayLeavesNoSyncOpen() throws Exception {
    Node node = serve(FakeTranscriber.willing());
    String id = kit.record("call");
    // The CRM fails until the retries are exhausted.
    CountDownLatch pushed = new CountDownLatch(1);
    crm.faults()
        .next(
            fakeRequest -> {
              pushed.countDown();
              return true;
            },
            new RequestFaults.RequestFault.RefuseRequest(503));
    for (int i = 0; i < 40; i++) {
      crm.faults().next("POST", new RequestFaults.RequestFault.RefuseRequest(503));
    }
    assertThat(node.recordings().listing().list()).contains(1);
    assertThat(pushed.await(30, TimeUnit.SECONDS)).isTrue();
    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
    SyncStepListener.MeetingSyncSummary meetingSyncSummary = kit.reports.getLast().summary();
    assertThat(meetingSyncSummary.status()).isEqualTo(SyncStepStatus.FAILURE);
    assertThat(meetingSyncSummary.error()).contains("the recording was deleted");
  }
}
