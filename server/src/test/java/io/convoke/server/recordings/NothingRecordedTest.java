package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.RetryPolicy;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.fakes.crm.FakeCrm;
import io.convoke.fakes.orchestrator.RequestFaults;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.crm.CrmConnectorFactory;
import io.convoke.server.launch.Await;
import io.convoke.server.meetingsync.MeetingSyncFeature;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.sync.SyncFeature;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A meeting whose recordings come to nothing reaches the CRM with a note of its own. */
class NothingRecordedTest {
  private static final String SECRET = "the-crm-secret";

  /** As many as there are attempts. */
  private static final int REFUSALS = 40;

  @TempDir private Path folder;
  private RecordingsTestKit kit;
  private FakeCrm crm;
  private final FakeTranscriber transcriber = FakeTranscriber.waiting();
  private MeetingSyncFeature meetings;
  private Node node;
  private long meeting;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    crm = new FakeCrm(SECRET);
    CrmConnector target = CrmConnectorFactory.generic(crm.notesUrl(), Optional.of(SECRET));
    SyncFeature sync =
        kit.keep(
            new SyncFeature(
                kit.database,
                kit.journal,
                kit.redis,
                () -> true,
                SyncConfig.of(ServerConfig.of(Map.of())),
                new SimpleMeterRegistry(),
                InstantSource.system()));
    meetings =
        new MeetingSyncFeature(
            kit.database, sync, this::syncs, Optional.of(target), Duration.ZERO, RetryPolicy.NONE);
    node = kit.node(Gear.of(transcriber).with(target), kit.blobs(), meetings::register);
    node.recordings().onNothing(meetings::cameToNothing);
    meeting = kit.meeting(kit.ann, "call");
    kit.database.run(
        tx -> {
          int _ =
              tx.sql(
                      """
                      insert into participant_sessions
                        (meeting_id, session_id, user_id, user_name, joined_at, join_source,
                         last_seen_at)
                      values (?, 's1', 'u-1', 'Ada', now(), 'webhook', now())
                      """)
                  .with(meeting)
                  .update();
        });
  }

  @AfterEach
  void close() {
    kit.close();
    crm.close();
  }

  @Test
  void aMeetingWhoseRecordingThePlatformCouldNotMakeHasANoteOfItsOwn() throws Exception {
    begin("one");
    end("one", new RecordingEvent.RecordingBroken("disk full"));
    meetings.ended(meeting);
    assertThat(await(1)).isEqualTo("done");
    assertSynced();
  }

  @Test
  void aMeetingThatWasLeftToItsRecordingsIsSyncedOnceTheLastOfThemCameToNothing() throws Exception {
    begin("one");
    begin("two");
    leaveToRecordings();
    end("one", new RecordingEvent.FileEmpty());
    assertThat(run()).as("the other one may still come").isEqualTo(1);
    end("two", new RecordingEvent.RecordingAbandoned("it has been running for too long"));
    assertThat(await(2)).isEqualTo("done");
    end("two", new RecordingEvent.RecordingCancelled());
    assertThat(run()).isEqualTo(2);
    assertSynced();
  }

  @Test
  void aMeetingWhoseLastRecordingIsDeletedWhileItIsMadeHasANoteOfItsOwn() throws Exception {
    begin("one");
    begin("two");
    leaveToRecordings();
    delete("one");
    assertThat(run()).as("the other one may still come").isEqualTo(1);
    delete("two");
    assertThat(await(2)).isEqualTo("done");
    assertSynced();
  }

  @Test
  void aMeetingWhoseRecordingIsDeletedWhileItIsTranscribedHasANoteOfItsOwn() throws Exception {
    String id = record();
    assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
    leaveToRecordings();
    delete(id);
    transcriber.let();
    assertThat(await(2)).isEqualTo("done");
    assertSynced();
  }

  @Tag("nightly")
  @Test
  void aMeetingWhoseRecordingIsDeletedWhileTheCrmIsAwayHasANoteOfItsOwn() throws Exception {
    transcriber.let();
    String id = record();
    Await.until("a push", () -> kit.row(id).steps().of(StepName.PUSH).attempts() > 0);
    leaveToRecordings();
    delete(id);
    assertThat(await(2)).isEqualTo("done");
    assertSynced();
  }

  @Test
  void aMeetingWhoseFailedRecordingIsDeletedHasANoteOfItsOwn() throws Exception {
    transcriber.fail(new Exception("this is music"));
    transcriber.let();
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      String id = record();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.FAILED);
      leaveToRecordings();
      delete(id);
    }
    assertThat(await(2)).isEqualTo("done");
    assertSynced();
  }

  /** A server of the release before does not tell that its recording came to nothing. */
  @Test
  void aRetryOfAMeetingWhoseRecordingIsGoneUntoldSendsANoteOfItsOwn() throws Exception {
    begin("one");
    leaveToRecordings();
    assertThat(retry()).isFalse();
    kit.database.run(
        tx -> {
          int _ = tx.sql("update recordings set deleted_at = now()").update();
        });
    assertThat(retry()).isTrue();
    assertThat(await(2)).isEqualTo("done");
    assertSynced();
  }

  private boolean retry() {
    return kit.database.transaction(
        tx ->
            meetings.retry(
                tx, meeting, node.recordings().maySync(tx, meeting), Optional.of("recording:r")));
  }

  /** Neither the run nor the transaction of the recording may have missed the other. */
  @Test
  void aRecordingThatComesToNothingAsTheRunBeginsIsNotWaitedFor() throws Exception {
    begin("one");
    kit.database.run(
        tx -> {
          RecordingTransitionResult _ =
              node.recordings()
                  .transitions()
                  .apply(tx, "one", 0, new RecordingEvent.FileEmpty(), "webhook");
          meetings.ended(meeting);
          Await.until("the run to ask for recordings", this::isAsked);
        });
    assertThat(await(1)).isEqualTo("done");
    assertSynced();
  }

  /** Whether the run waits for the end of a transaction, or has not waited. */
  private boolean isAsked() {
    return kit.number(
                """
            select count(*) as n from pg_locks
            where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())
            """)
            > 0
        || kit.number("select count(*) as n from meeting_syncs where status <> 'waiting'") > 0;
  }

  private boolean syncs(Tx tx, long meetingId) {
    return node.recordings().syncs(tx, meetingId);
  }

  private void leaveToRecordings() throws Exception {
    meetings.ended(meeting);
    assertThat(await(1)).isEqualTo("recorded");
  }

  private void delete(String id) {
    kit.as(node, kit.ann).delete("/recordings/" + id).expect(204);
  }

  /** A recording of the meeting that is worked on, and whose note the CRM never takes. */
  private String record() throws InterruptedException {
    String id = kit.record("call");
    for (int i = 0; i < REFUSALS; i++) {
      crm.faults()
          .next(
              fakeRequest -> fakeRequest.text().contains(id),
              new RequestFaults.RequestFault.RefuseRequest(503));
    }
    assertThat(node.recordings().listing().list()).contains(1);
    return id;
  }

  private void begin(String id) {
    RecordingTransitionResult _ =
        node.recordings()
            .transitions()
            .reported(
                "daily",
                new RecordingInfo(
                    id,
                    "call",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(Instant.now()),
                    Optional.empty(),
                    PlatformRecordingStatus.RUNNING,
                    Optional.empty()),
                MeetingAssignment.in(meeting, kit.ann),
                new RecordingEvent.RecordingStarted(),
                "webhook");
  }

  private void end(String id, RecordingEvent event) {
    RecordingTransitionResult _ = node.recordings().transitions().apply(id, 0, event, "webhook");
  }

  private String await(int run) throws Exception {
    String instance = "meeting-sync-" + meeting + (run == 1 ? "" : "-" + run);
    return node.engine().await(instance, String.class, RecordingsTestKit.SOON);
  }

  private long run() {
    return kit.number("select run as n from meeting_syncs");
  }

  private void assertSynced() {
    assertThat(crm.notes()).containsOnlyKeys("meeting:" + meeting);
    assertThat(crm.notes().values()).allMatch(note -> note.versions() == 1);
    assertThat(
            kit.database.<String>read(
                tx ->
                    tx.sql("select status from sync_status where meeting_id = ?")
                        .with(Long.toString(meeting))
                        .one(resultRow -> resultRow.text("status"))))
        .isEqualTo("success");
    assertThat(crm.complaints()).isEmpty();
  }
}
