package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceQueue.InstanceClaimResult;
import io.convoke.engine.durable.postgres.InstanceQueue.InstanceLockChange;
import io.convoke.engine.durable.postgres.InstanceQueue.InstanceLockRef;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The claim, release and free statements of instances. */
record InstanceClaimStatements(Database database, InstanceQueue queue)
    implements QueueClaimer.ClaimStatements<OrchestrationItem> {
  @Override
  public QueueClaimer.ClaimStatementResult<OrchestrationItem> claim(ClaimRequest claimRequest) {
    InstanceClaimResult instanceClaimResult = database.read(tx -> queue.claim(tx, claimRequest));
    if (!instanceClaimResult.empty().isEmpty()) {
      // Another node consumed their messages while the claim waited for their lock.
      Set<String> _ = database.read(tx -> queue.unlock(tx, instanceClaimResult.empty()));
    }
    boolean lost =
        instanceClaimResult.candidates() > 0 && instanceClaimResult.instances().isEmpty();
    return new QueueClaimer.ClaimStatementResult<>(
        instanceClaimResult.instances(), instanceClaimResult.exhausted(), lost);
  }

  @Override
  public Optional<Instant> release(List<OrchestrationItem> items) {
    List<InstanceLockChange> changes =
        items.stream()
            .flatMap(item -> InstanceLockRef.of(item.lockToken()).stream())
            .map(instanceLockRef -> new InstanceLockChange(instanceLockRef, Optional.empty(), true))
            .toList();
    return earliest(database, queue, database.transaction(tx -> queue.release(tx, changes)));
  }

  /**
   * The earliest instant from which a message of these released instances may be claimed; the epoch
   * if the query fails.
   */
  static Optional<Instant> earliest(Database database, InstanceQueue queue, Set<String> given) {
    if (given.isEmpty()) {
      return Optional.empty();
    }
    try {
      return database.read(
          tx ->
              queue
                  .waiting(tx, List.copyOf(given))
                  .one(resultRow -> resultRow.maybeInstant("earliest")));
    } catch (StoreUnavailable | SqlFailure away) {
      return Optional.of(Instant.EPOCH);
    }
  }

  @Override
  public void free(String token) {
    database.run(tx -> QueueScan.free(tx, token));
  }
}
