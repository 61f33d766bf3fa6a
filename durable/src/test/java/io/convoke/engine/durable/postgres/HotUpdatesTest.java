package io.convoke.engine.durable.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.durable.postgres.QueueClaimer.ClaimRequest;
import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueCommits.AckResult;
import io.convoke.engine.durable.postgres.QueueCommits.LockAck;
import io.convoke.engine.durable.postgres.QueueCommits.LockRef;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.TurnCommit.InstanceIdentity;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A turn updates the row of its instance twice, on its page and without an index entry (HOT). */
class HotUpdatesTest extends NodeTestKit {
  private static final int INSTANCES = 10;

  /** The turn names the parent, which the row has already, as after continuing as new. */
  @Test
  void theTurnOfASubWorkflowWritesNoIndexEntry() {
    execute(
        """
        insert into instances (instance_id, orchestration_name, parent_instance_id)
        select 'i' || n, 'part', 'whole' from generate_series(1, %d) n
        """
            .formatted(INSTANCES));
    execute(
        "insert into orchestrator_queue (instance_id, work_item)"
            + " select instance_id, '{}' from instances");
    try (Database session = EngineConnections.open(url, 1, new SchemaNames("durable"), false)) {
      ClaimRequest claim =
          new ClaimRequest("", Instant.MIN, Duration.ZERO, INSTANCES, "claim", LOCK);
      List<LockAck<TurnCommit>> turns =
          session.transaction(tx -> InstanceStore.claim(tx, claim)).stream()
              .flatMap(row -> row.instanceId().stream())
              .distinct()
              .map(instance -> new LockAck<>(new LockRef("claim", instance), firstTurn()))
              .toList();
      AckResult<WorkItem> result =
          session.transaction(tx -> TurnStore.commit(tx, turns, Handoff.NONE));
      assertThat(result.held()).hasSize(INSTANCES);
      session.run(
          tx -> {
            boolean _ =
                tx.sql("select pg_stat_force_next_flush() is null as done")
                    .one(resultRow -> resultRow.booleanAt("done"));
          });
    }
    assertThat(updates("n_tup_upd")).isEqualTo(2 * INSTANCES);
    assertThat(updates("n_tup_hot_upd")).isEqualTo(2 * INSTANCES);
  }

  private static TurnCommit firstTurn() {
    return new TurnCommit(
        1,
        Optional.of(new InstanceIdentity("part", "1", Optional.of("whole"))),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  private long updates(String counter) {
    return number(
        "select %s as n from pg_stat_user_tables where relid = 'instances'::regclass"
            .formatted(counter));
  }
}
