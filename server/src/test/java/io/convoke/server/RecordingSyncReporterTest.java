package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.recordings.SyncStepListener.MeetingSyncSummary;
import io.convoke.server.recordings.SyncStepListener.SyncStepReport;
import io.convoke.server.recordings.SyncStepListener.SyncStepStatus;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.sync.SyncFeature;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.convoke.server.sync.SyncUpdateResult;
import io.convoke.simulator.stores.LocalStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the work on recordings says of its steps is what a meeting's sync shows. */
class RecordingSyncReporterTest {
  private static final long MEETING = 7;

  private final Database database =
      Database.open(DatabaseUrl.parse(MigratedDatabase.url()), 4, "reports", Migrations.SCHEMAS);
  private final Redis redis = Redis.open(LocalStores.forTests().redis().url());
  private final List<String> shown = new ArrayList<>();
  private Journal journal;
  private SyncFeature syncFeature;

  @BeforeEach
  void open() {
    journal = new Journal(database);
    syncFeature =
        new SyncFeature(
            database,
            journal,
            redis,
            () -> true,
            SyncConfig.of(ServerConfig.of(Map.of())),
            new SimpleMeterRegistry(),
            InstantSource.system());
  }

  @AfterEach
  void close() {
    syncFeature.close();
    journal.close();
    redis.close();
    database.close();
  }

  @Test
  void aMeetingIsSyncedWhenTheLastStepOfItsRecordingIs() {
    whole("r1");
    assertThat(shown)
        .containsExactly(
            "in_progress 1",
            "in_progress 1",
            "in_progress 1",
            "in_progress 1",
            "in_progress 1",
            "success 1");
  }

  @Test
  void whatFailedGoesOnWithTheStepThatFailed() {
    tell("r1", "prepare", SyncStepStatus.IN_PROGRESS);
    tell("r1", "prepare", SyncStepStatus.SUCCESS);
    tell("r1", "transform", SyncStepStatus.FAILURE);
    tell("r1", "transform", SyncStepStatus.IN_PROGRESS);
    tell("r1", "transform", SyncStepStatus.SUCCESS);
    tell("r1", "push", SyncStepStatus.IN_PROGRESS);
    tell("r1", "push", SyncStepStatus.SUCCESS);
    assertThat(shown)
        .containsExactly(
            "in_progress 1",
            "in_progress 1",
            "failure 1",
            "in_progress 2",
            "in_progress 2",
            "in_progress 2",
            "success 2");
  }

  /** What the first had finished does not make the second look finished before it is. */
  @Test
  void aSecondRecordingOfTheMeetingIsASyncOfItsOwn() {
    whole("r1");
    shown.clear();
    whole("r2");
    assertThat(shown)
        .containsExactly(
            "in_progress 2",
            "in_progress 2",
            "in_progress 2",
            "in_progress 2",
            "in_progress 2",
            "success 2");
  }

  private void whole(String recording) {
    for (String step : List.of("prepare", "transform", "push")) {
      tell(recording, step, SyncStepStatus.IN_PROGRESS);
      tell(recording, step, SyncStepStatus.SUCCESS);
    }
  }

  /** Not before the last of them is through does it show that one is not. */
  @Test
  void aMeetingIsNotSyncedWhileOneOfItsRecordingsIsNot() {
    tell(
        "r1",
        "push",
        SyncStepStatus.FAILURE,
        new MeetingSyncSummary(SyncStepStatus.IN_PROGRESS, Optional.empty()));
    tell(
        "r2",
        "push",
        SyncStepStatus.IN_PROGRESS,
        new MeetingSyncSummary(SyncStepStatus.IN_PROGRESS, Optional.empty()));
    tell(
        "r2",
        "push",
        SyncStepStatus.SUCCESS,
        new MeetingSyncSummary(SyncStepStatus.FAILURE, Optional.of("r1 broke")));
    assertThat(shown).containsExactly("in_progress 1", "in_progress 1", "failure 1");
    assertThat(text("error_message")).isEqualTo("r1 broke");
    assertThat(text("last_step")).isEqualTo("push");
  }

  /**
   * The workflow knows nothing of it and need not: what it tells next belongs to the new attempt.
   */
  @Test
  void aSyncThatStoodStillAndIsTriedAgainEndsWithTheWorkThatStillRuns() {
    tell("r1", "push", SyncStepStatus.IN_PROGRESS);
    assertThat(
            syncFeature.apply(
                Long.toString(MEETING), new SyncUpdate.SyncRetryRequested(Duration.ZERO, "user:1")))
        .isInstanceOf(SyncUpdateResult.SyncUpdated.class);
    tell("r1", "push", SyncStepStatus.IN_PROGRESS);
    tell("r1", "push", SyncStepStatus.SUCCESS);
    assertThat(shown).containsExactly("in_progress 1", "in_progress 2", "success 2");
  }

  @Test
  void nothingIsToldThatIsNotCommitted() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      new RecordingSyncReporter(syncFeature)
                          .report(tx, report("r1", "push", SyncStepStatus.SUCCESS));
                      throw new IllegalStateException("the step's output cannot be written");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(syncFeature.apply(Long.toString(MEETING), posted()).record().version()).isEqualTo(1);
  }

  private static SyncUpdate posted() {
    return new SyncUpdate.StatusPosted(
        SyncStatus.IN_PROGRESS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        "internal");
  }

  private String text(String column) {
    return database.read(
        tx ->
            tx.sql("select " + column + " from sync_status where meeting_id = ?")
                .with(Long.toString(MEETING))
                .one(resultRow -> resultRow.text(column)));
  }

  /** What the only recording of a meeting comes to with a step. */
  private static SyncStepReport report(
      String recording, String step, SyncStepStatus syncStepStatus) {
    boolean open = syncStepStatus == SyncStepStatus.SUCCESS && !step.equals("push");
    Optional<String> error =
        syncStepStatus == SyncStepStatus.FAILURE ? Optional.of("it broke") : Optional.empty();
    MeetingSyncSummary meetingSyncSummary =
        new MeetingSyncSummary(open ? SyncStepStatus.IN_PROGRESS : syncStepStatus, error);
    return new SyncStepReport(
        recording, MEETING, 1, step, syncStepStatus, error, meetingSyncSummary);
  }

  private void tell(String recording, String step, SyncStepStatus syncStepStatus) {
    tell(recording, step, syncStepStatus, report(recording, step, syncStepStatus).summary());
  }

  private void tell(
      String recording,
      String step,
      SyncStepStatus syncStepStatus,
      MeetingSyncSummary meetingSyncSummary) {
    SyncStepReport alone = report(recording, step, syncStepStatus);
    database.run(
        tx ->
            new RecordingSyncReporter(syncFeature)
                .report(
                    tx,
                    new SyncStepReport(
                        recording,
                        MEETING,
                        1,
                        step,
                        syncStepStatus,
                        alone.error(),
                        meetingSyncSummary)));
    shown.add(
        database.read(
            tx ->
                tx.sql("select status, attempts from sync_status where meeting_id = ?")
                    .with(Long.toString(MEETING))
                    .one(
                        resultRow ->
                            resultRow.text("status") + " " + resultRow.longAt("attempts"))));
  }
}
