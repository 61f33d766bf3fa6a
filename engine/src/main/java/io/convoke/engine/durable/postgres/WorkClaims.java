package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.WorkerQueue.Change;
import io.convoke.engine.durable.postgres.WorkerQueue.Ref;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** How work items of a pool are claimed. */
record WorkClaims(Database database, WorkerQueue queue, String pool)
    implements Claims.Store<WorkItem> {
  @Override
  public Claims.Seen<WorkItem> claim(Claim claim) {
    List<Claimed<WorkItem>> items = database.read(tx -> queue.claim(tx, pool, claim));
    return new Claims.Seen<>(items, items.size() < claim.limit(), false);
  }

  @Override
  public Optional<Instant> giveBack(List<WorkItem> items) {
    List<Change> changes =
        items.stream()
            .flatMap(item -> Ref.of(item.lockToken()).stream())
            .map(ref -> new Change(ref, Optional.empty(), true))
            .toList();
    return database.read(tx -> queue.giveBack(tx, changes));
  }

  @Override
  public void free(String token) {
    database.run(tx -> Survey.free(tx, token));
  }
}
