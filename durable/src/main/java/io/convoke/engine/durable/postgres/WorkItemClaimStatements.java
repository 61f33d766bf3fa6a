package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockChange;
import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockRef;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How work items of a pool are claimed. */
record WorkItemClaimStatements(Database database, WorkerQueue queue, String pool)
    implements QueueClaimer.ClaimStatements<WorkItem> {
  @Override
  public QueueClaimer.ClaimStatementResult<WorkItem> claim(ClaimRequest claimRequest) {
    List<ClaimedItem<WorkItem>> items = database.read(tx -> queue.claim(tx, pool, claimRequest));
    return new QueueClaimer.ClaimStatementResult<>(
        items, items.size() < claimRequest.limit(), false);
  }

  @Override
  public Optional<Instant> release(List<WorkItem> items) {
    List<WorkItemLockChange> changes =
        items.stream()
            .flatMap(item -> WorkItemLockRef.of(item.lockToken()).stream())
            .map(workItemLockRef -> new WorkItemLockChange(workItemLockRef, Optional.empty(), true))
            .toList();
    return database.read(tx -> queue.release(tx, changes));
  }

  @Override
  public void free(String token) {
    database.run(tx -> QueueScan.free(tx, token));
  }
}
