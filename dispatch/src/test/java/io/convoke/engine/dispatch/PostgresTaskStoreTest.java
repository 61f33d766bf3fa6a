package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which transitions the task store records. */
class PostgresTaskStoreTest {
  private static final RebuildEpoch NOW = new RebuildEpoch("convoke:", "1");
  private static final RebuildEpoch NEXT = new RebuildEpoch("convoke:", "2");
  private static final RebuildEpoch ELSEWHERE = new RebuildEpoch("convoke:{eu}:", "1");

  private final Database database =
      Database.open(
          DatabaseUrl.parse(LocalStores.forTests().freshDatabase()),
          2,
          "ledger",
          List.of("public"));
  private final List<String> journal = new ArrayList<>();
  private final PostgresTaskStore ledger =
      new PostgresTaskStore(
          database,
          (tx, moves) ->
              moves.forEach(
                  recordedTransition ->
                      journal.add(
                          recordedTransition.move().state()
                              + " "
                              + recordedTransition.move().attempt())));

  @BeforeEach
  void aTask() {
    database.run(
        tx -> {
          int _ = tx.sql(DispatchServiceTest.ddl()).update();
        });
    assertThat(ledger.accept(DispatchTestKit.task("a", "eu", "room")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.TaskInserted());
    ledger.begin(NOW);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void oldNewsChangesNothingAndAnEndStays() {
    assertThat(record(NOW, move(1, TaskState.PENDING, 0), move(2, TaskState.PROCESSING, 1)))
        .isTrue();
    assertThat(record(NOW, move(1, TaskState.PENDING, 0), move(2, TaskState.PROCESSING, 1)))
        .isTrue();
    assertThat(record(NOW, move(3, TaskState.SUCCESS, 1), move(4, TaskState.PENDING, 1))).isTrue();
    assertThat(record(NOW, move(5, TaskState.PENDING, 1))).isTrue();
    assertThat(journal).containsExactly("PENDING 0", "PROCESSING 1", "SUCCESS 1");
    assertThat(ledger.find("a").orElseThrow().state()).isEqualTo(TaskState.SUCCESS);
  }

  @Test
  void whatWasReadInAnotherGenerationIsRefused() {
    ledger.begin(NEXT);
    assertThat(record(NOW, move(1, TaskState.PENDING, 0))).isFalse();
    assertThat(record(ELSEWHERE, move(1, TaskState.PENDING, 0))).isFalse();
    assertThat(journal).isEmpty();
    assertThat(record(NEXT, move(1, TaskState.PENDING, 0))).isTrue();
    ledger.begin(ELSEWHERE);
    assertThat(record(NEXT, move(2, TaskState.PROCESSING, 1))).isTrue();
    assertThat(journal).containsExactly("PENDING 0", "PROCESSING 1");
  }

  /** What is kept under an id belongs to its first task, whose row may be deleted. */
  @Test
  void anIdThatIsTakenWithoutATaskIsGivenToNoOther() {
    database.run(
        tx -> {
          int _ = tx.sql("insert into task_ids_taken values ('a'), ('b')").update();
        });
    assertThat(ledger.accept(DispatchTestKit.task("a", "eu", "room")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.AlreadyInserted("a"));
    assertThat(ledger.accept(DispatchTestKit.task("b", "eu", "room")))
        .isEqualTo(new DurableTaskStore.TaskInsertResult.InsertIdTaken());
    assertThat(ledger.find("b")).isEmpty();
  }

  /** The server that stored the stop request may have died before telling Redis. */
  @Test
  void whatIsToStopIsUnheardUntilItHasEnded() {
    assertThat(record(NOW, move(1, TaskState.PENDING, 0))).isTrue();
    assertThat(ledger.undelivered(10)).isEmpty();
    assertThat(ledger.requestStop("a")).isTrue();
    assertThat(ledger.undelivered(10)).extracting(OpenTask::id).containsExactly("a");
    assertThat(record(NOW, move(2, TaskState.FAILED, 0))).isTrue();
    assertThat(ledger.undelivered(10)).isEmpty();
  }

  /** On a cluster, the servers of one region may be away. */
  @Test
  void theTasksOfARegionHideNoneOfAnother() {
    for (NewTask task :
        List.of(
            DispatchTestKit.task("b", "eu", "room"),
            DispatchTestKit.task("c", "eu", "room"),
            DispatchTestKit.task("d", "us", "room"))) {
      assertThat(ledger.accept(task))
          .isEqualTo(new DurableTaskStore.TaskInsertResult.TaskInserted());
    }
    database.run(
        tx -> {
          int _ =
              tx.sql("update tasks set created_at = created_at - interval '9 seconds'").update();
        });
    assertThat(ledger.undelivered(2)).extracting(OpenTask::id).containsExactly("a", "d");
    for (String id : List.of("a", "b", "c", "d")) {
      assertThat(ledger.requestStop(id)).isTrue();
    }
    assertThat(ledger.undelivered(2)).extracting(OpenTask::id).containsExactly("a", "d", "a", "d");
  }

  /** A task waits from its acceptance, whenever Redis reports it. */
  @Test
  void theFirstNewsOfATaskIsNotThatItWaitsAnew() {
    waitFor9Seconds();
    assertThat(record(NOW, move(1, TaskState.PENDING, 0))).isTrue();
    assertThat(waiting()).isGreaterThanOrEqualTo(Duration.ofSeconds(9));
    assertThat(record(NOW, move(2, TaskState.PROCESSING, 1), move(3, TaskState.PENDING, 1)))
        .isTrue();
    assertThat(waiting()).isLessThan(Duration.ofSeconds(9));
  }

  @Test
  void aReturnedTaskWaitsAnewWhenReportedLate() {
    waitFor9Seconds();
    assertThat(
            record(
                NOW,
                move(1, TaskState.PENDING, 0),
                move(2, TaskState.PROCESSING, 1),
                move(3, TaskState.PENDING, 1)))
        .isTrue();
    assertThat(waiting()).isLessThan(Duration.ofSeconds(9));
  }

  @Test
  void aTaskThatEndsInTheBatchOfItsClaimShowsWhenItBegan() {
    assertThat(
            record(
                NOW,
                move(1, TaskState.PENDING, 0),
                move(2, TaskState.PROCESSING, 1, at(10)),
                move(3, TaskState.SUCCESS, 1, at(12))))
        .isTrue();
    assertThat(ledger.find("a").flatMap(Task::processedAt)).contains(at(10));
  }

  @Test
  void aStopDoesNotChangeWhenATaskBegan() {
    assertThat(record(NOW, move(1, TaskState.PROCESSING, 1, at(10)))).isTrue();
    assertThat(record(NOW, move(2, TaskState.PROCESSING, 1, at(15)))).isTrue();
    assertThat(ledger.find("a").flatMap(Task::processedAt)).contains(at(10));
    assertThat(record(NOW, move(3, TaskState.PENDING, 1, at(16)))).isTrue();
    assertThat(ledger.find("a").flatMap(Task::processedAt)).isEmpty();
    assertThat(record(NOW, move(4, TaskState.PROCESSING, 2, at(20)))).isTrue();
    assertThat(ledger.find("a").flatMap(Task::processedAt)).contains(at(20));
  }

  /** As Redis shows it, also where its return and its end come in one batch. */
  @Test
  void aTaskThatEndsAsItWaitsHasNotBegunAndAllItsAttemptsWereRetried() {
    assertThat(record(NOW, move(1, TaskState.PENDING, 0), move(2, TaskState.PROCESSING, 1)))
        .isTrue();
    assertThat(record(NOW, move(3, TaskState.PENDING, 1), move(4, TaskState.PROCESSING, 2, at(20))))
        .isTrue();
    assertThat(ledger.find("a").orElseThrow().retryCount()).isEqualTo(1);
    assertThat(record(NOW, move(5, TaskState.PENDING, 2), move(6, TaskState.TIMEOUT, 2))).isTrue();
    Task ended = ledger.find("a").orElseThrow();
    assertThat(ended.state()).isEqualTo(TaskState.TIMEOUT);
    assertThat(ended.processedAt()).isEmpty();
    assertThat(ended.retryCount()).isEqualTo(2);
  }

  private static Instant at(int seconds) {
    return Instant.parse("2026-01-01T00:00:00Z").plusSeconds(seconds);
  }

  private void waitFor9Seconds() {
    database.run(
        tx -> {
          int _ = tx.sql("update tasks set pending_at = now() - interval '9 seconds'").update();
        });
  }

  private Duration waiting() {
    return ledger.open(List.of("a")).getFirst().waiting();
  }

  private boolean record(RebuildEpoch rebuildEpoch, TaskTransition... moves) {
    return ledger.record(rebuildEpoch, List.of(moves));
  }

  private static TaskTransition move(long number, TaskState state, int attempt) {
    return move(number, state, attempt, Instant.EPOCH);
  }

  private static TaskTransition move(long number, TaskState state, int attempt, Instant at) {
    return new TaskTransition(
        "a",
        number,
        state,
        attempt,
        0,
        Duration.ZERO,
        at,
        "",
        state == TaskState.PROCESSING || state == TaskState.SUCCESS
            ? Optional.of("pod")
            : Optional.empty(),
        Optional.empty(),
        false);
  }
}
