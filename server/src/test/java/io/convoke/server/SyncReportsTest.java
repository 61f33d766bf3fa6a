package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.lab.stores.Stores;
import io.convoke.server.recordings.SyncSteps.Report;
import io.convoke.server.recordings.SyncSteps.Status;
import io.convoke.server.recordings.SyncSteps.Whole;
import io.convoke.server.sync.Applied;
import io.convoke.server.sync.Sync;
import io.convoke.server.sync.SyncConfig;
import io.convoke.server.sync.SyncStatus;
import io.convoke.server.sync.SyncUpdate;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the work on recordings says of its steps is what a meeting's sync shows. */
class SyncReportsTest {
  private static final long MEETING = 7;

  private final Database database =
      Database.open(
          DatabaseUrl.parse(Stores.forTests().freshDatabase()), 4, "reports", Migrations.SCHEMAS);
  private final Redis redis = Redis.open(Stores.forTests().redis().url());
  private final List<String> shown = new ArrayList<>();
  private Journal journal;
  private Sync sync;

  @BeforeEach
  void open() {
    int _ = Migrations.apply(database);
    journal = new Journal(database);
    sync =
        new Sync(
            database,
            journal,
            redis,
            () -> true,
            SyncConfig.defaults(),
            new SimpleMeterRegistry(),
            InstantSource.system());
  }

  @AfterEach
  void close() {
    sync.close();
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
    tell("r1", "prepare", Status.IN_PROGRESS);
    tell("r1", "prepare", Status.SUCCESS);
    tell("r1", "transform", Status.FAILURE);
    tell("r1", "transform", Status.IN_PROGRESS);
    tell("r1", "transform", Status.SUCCESS);
    tell("r1", "push", Status.IN_PROGRESS);
    tell("r1", "push", Status.SUCCESS);
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
      tell(recording, step, Status.IN_PROGRESS);
      tell(recording, step, Status.SUCCESS);
    }
  }

  /** Not before the last of them is through does it show that one is not. */
  @Test
  void aMeetingIsNotSyncedWhileOneOfItsRecordingsIsNot() {
    tell("r1", "push", Status.FAILURE, new Whole(Status.IN_PROGRESS, Optional.empty()));
    tell("r2", "push", Status.IN_PROGRESS, new Whole(Status.IN_PROGRESS, Optional.empty()));
    tell("r2", "push", Status.SUCCESS, new Whole(Status.FAILURE, Optional.of("r1 broke")));
    assertThat(shown).containsExactly("in_progress 1", "in_progress 1", "failure 1");
    assertThat(text("error_message")).isEqualTo("r1 broke");
    assertThat(text("last_step")).isEqualTo("push");
  }

  /**
   * The workflow knows nothing of it and need not: what it tells next belongs to the new attempt.
   */
  @Test
  void aSyncThatStoodStillAndIsTriedAgainEndsWithTheWorkThatStillRuns() {
    tell("r1", "push", Status.IN_PROGRESS);
    assertThat(sync.tell(Long.toString(MEETING), new SyncUpdate.Retry(true, "user:1")))
        .isInstanceOf(Applied.Moved.class);
    tell("r1", "push", Status.IN_PROGRESS);
    tell("r1", "push", Status.SUCCESS);
    assertThat(shown).containsExactly("in_progress 1", "in_progress 2", "success 2");
  }

  @Test
  void nothingIsToldThatIsNotCommitted() {
    assertThatThrownBy(
            () ->
                database.run(
                    tx -> {
                      new SyncReports(sync).report(tx, report("r1", "push", Status.SUCCESS));
                      throw new IllegalStateException("the step's output cannot be written");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(sync.tell(Long.toString(MEETING), posted()).record().version()).isEqualTo(1);
  }

  private static SyncUpdate posted() {
    return new SyncUpdate.Posted(
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
                .one(row -> row.text(column)));
  }

  /** What the only recording of a meeting comes to with a step. */
  private static Report report(String recording, String step, Status status) {
    boolean open = status == Status.SUCCESS && !step.equals("push");
    Optional<String> error = status == Status.FAILURE ? Optional.of("it broke") : Optional.empty();
    Whole whole = new Whole(open ? Status.IN_PROGRESS : status, error);
    return new Report(recording, MEETING, 1, step, status, error, whole);
  }

  private void tell(String recording, String step, Status status) {
    tell(recording, step, status, report(recording, step, status).whole());
  }

  private void tell(String recording, String step, Status status, Whole whole) {
    Report alone = report(recording, step, status);
    database.run(
        tx ->
            new SyncReports(sync)
                .report(tx, new Report(recording, MEETING, 1, step, status, alone.error(), whole)));
    shown.add(
        database.read(
            tx ->
                tx.sql("select status, attempts from sync_status where meeting_id = ?")
                    .with(Long.toString(MEETING))
                    .one(row -> row.text("status") + " " + row.longAt("attempts"))));
  }
}
