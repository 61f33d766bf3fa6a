package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceQueue.Change;
import io.convoke.engine.durable.postgres.InstanceQueue.Found;
import io.convoke.engine.durable.postgres.InstanceQueue.Ref;
import io.convoke.engine.durable.postgres.TurnStore.Committed;
import io.convoke.engine.durable.postgres.TurnStore.Pending;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Turn;
import io.convoke.engine.sql.Database;
import io.convoke.engine.wake.Attempt;
import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Instances: claims of their messages, and group commits of their turns. */
final class Instances {
  private static final int CLAIM_MAX = 128;
  private static final int TURNS_MAX = 200;
  private static final int BATCH_MAX = 500;

  private final Database database;
  private final StoreClock clock;
  private final Lane orchestrators;
  private final Lane workers;
  private final InstanceQueue queue = new InstanceQueue();
  private final TurnStore turns = new TurnStore();
  private final Claims<OrchestrationItem> claims;
  private final GroupCommit<InstanceMessage, Told> enqueues;
  private final GroupCommit<Pending, Held> acks;
  private final GroupCommit<Change, Held> renewals;

  Instances(Database database, StoreClock clock, Lane orchestrators, Lane workers) {
    this.database = database;
    this.clock = clock;
    this.orchestrators = orchestrators;
    this.workers = workers;
    this.claims = new Claims<>(this::claim, clock, orchestrators, CLAIM_MAX);
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(TURNS_MAX, 2, this::commit);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  Attempt<OrchestrationItem> take(Duration lock) {
    return claims.take(lock);
  }

  Told enqueue(InstanceMessage message) {
    return enqueues.submit(message);
  }

  Held ack(String token, Turn turn) {
    return Ref.of(token).map(ref -> acks.submit(new Pending(ref, turn))).orElse(Held.LOST);
  }

  Held renew(String token, Duration extendBy) {
    return Ref.of(token)
        .map(ref -> renewals.submit(new Change(ref, Optional.of(extendBy), false)))
        .orElse(Held.LOST);
  }

  Held abandon(String token, Optional<Duration> delay, boolean ignoreAttempt) {
    return Ref.of(token)
        .map(ref -> giveBack(new Change(ref, delay, ignoreAttempt)))
        .orElse(Held.LOST);
  }

  long claims() {
    return claims.count();
  }

  void giveBackAll() {
    for (OrchestrationItem item : claims.drain()) {
      Held _ = abandon(item.lockToken(), Optional.empty(), true);
    }
  }

  private Held giveBack(Change change) {
    Set<String> given =
        database.transaction(
            tx -> {
              Set<String> unlocked = queue.unlock(tx, List.of(change.ref()));
              if (!unlocked.isEmpty()) {
                queue.giveBackMessages(tx, change);
              }
              return unlocked;
            });
    if (given.isEmpty()) {
      return Held.LOST;
    }
    Duration delay = change.time().orElse(Duration.ZERO);
    // A message that keeps its time may lie anywhere below the floor.
    orchestrators.wrote(delay.isZero() ? Instant.EPOCH : clock.now().plus(delay));
    tellWaiting(given);
    return Held.HELD;
  }

  private Claims.Seen<OrchestrationItem> claim(Claim claim) {
    Found found = database.read(tx -> queue.claim(tx, claim));
    if (!found.empty().isEmpty()) {
      // Their messages were used up by another while the claim waited for their lock.
      Set<String> _ = database.read(tx -> queue.unlock(tx, found.empty()));
    }
    boolean lost = found.candidates() > 0 && found.instances().isEmpty();
    return new Claims.Seen<>(found.instances(), found.exhausted(), lost);
  }

  private List<Told> insert(List<InstanceMessage> batch) {
    Told told = database.read(tx -> queue.insert(tx, batch));
    clock.answered(told.now());
    told.earliest().ifPresent(orchestrators::wrote);
    return Collections.nCopies(batch.size(), told);
  }

  private List<Held> commit(List<Pending> batch) {
    Committed committed = database.transaction(tx -> turns.commit(tx, batch));
    committed.work().ifPresent(workers::wrote);
    committed.messages().ifPresent(orchestrators::wrote);
    if (!committed.held().isEmpty()) {
      tellWaiting(
          committed.held().stream().map(Ref::instanceId).collect(Collectors.toUnmodifiableSet()));
    }
    return Granted.of(batch.stream().map(Pending::ref).toList(), committed.held()).answers();
  }

  /**
   * Messages that came while an instance was held were passed over; now that it is free somebody
   * must look again. Asked after the commit: what is not seen here is announced later still.
   */
  private void tellWaiting(Set<String> instances) {
    database.read(tx -> queue.waiting(tx, instances)).ifPresent(orchestrators::wrote);
  }

  private List<Held> extend(List<Change> batch) {
    Set<Ref> held = database.transaction(tx -> queue.renew(tx, batch));
    return Granted.of(batch.stream().map(Change::ref).toList(), held).answers();
  }
}
