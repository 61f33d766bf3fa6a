package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceQueue.Change;
import io.convoke.engine.durable.postgres.InstanceQueue.Found;
import io.convoke.engine.durable.postgres.InstanceQueue.Ref;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How instances are claimed. */
record InstanceClaims(Database database, InstanceQueue queue)
    implements Claims.Store<OrchestrationItem> {
  @Override
  public Claims.Seen<OrchestrationItem> claim(Claim claim) {
    Found found = database.read(tx -> queue.claim(tx, claim));
    if (!found.empty().isEmpty()) {
      // Their messages were used up by another while the claim waited for their lock.
      Set<String> _ = database.read(tx -> queue.unlock(tx, found.empty()));
    }
    boolean lost = found.candidates() > 0 && found.instances().isEmpty();
    return new Claims.Seen<>(found.instances(), found.exhausted(), lost);
  }

  @Override
  public Optional<Instant> giveBack(List<OrchestrationItem> items) {
    List<Change> changes =
        items.stream()
            .flatMap(item -> Ref.of(item.lockToken()).stream())
            .map(ref -> new Change(ref, Optional.empty(), true))
            .toList();
    return earliest(database, queue, database.transaction(tx -> queue.giveBack(tx, changes)));
  }

  /**
   * From when on something of these may be claimed now that their locks were given back; from ever
   * if that cannot be asked.
   */
  static Optional<Instant> earliest(Database database, InstanceQueue queue, Set<String> given) {
    if (given.isEmpty()) {
      return Optional.empty();
    }
    try {
      return database.read(
          tx -> queue.waiting(tx, List.copyOf(given)).one(row -> row.maybeInstant("earliest")));
    } catch (StoreUnavailable | SqlFailure away) {
      return Optional.of(Instant.EPOCH);
    }
  }

  @Override
  public void free(String token) {
    database.run(tx -> Survey.free(tx, token));
  }
}
