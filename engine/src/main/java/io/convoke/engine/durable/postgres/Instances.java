package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceQueue.Change;
import io.convoke.engine.durable.postgres.InstanceQueue.Ref;
import io.convoke.engine.durable.postgres.TurnStore.Committed;
import io.convoke.engine.durable.postgres.TurnStore.Pending;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.Turn;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.wake.Attempt;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Instances: claims of their messages, and group commits of their turns. */
final class Instances {
  private static final int TURNS_MAX = 200;
  private static final int BATCH_MAX = 500;

  private final Database database;
  private final Lane orchestrators;
  private final Lane workers;
  private final InstanceQueue queue = new InstanceQueue();
  private final TurnStore turns = new TurnStore();
  private final Claims<OrchestrationItem> claims;
  private final Claims<WorkItem> works;
  private final GroupCommit<InstanceMessage, Written<OrchestrationItem>> enqueues;
  private final GroupCommit<Pending, Held> acks;
  private final GroupCommit<Change, Held> renewals;

  Instances(Database database, Claims<OrchestrationItem> claims, Claims<WorkItem> works) {
    this.database = database;
    this.claims = claims;
    this.works = works;
    this.orchestrators = claims.lane();
    this.workers = works.lane();
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(TURNS_MAX, 2, this::commit);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  Attempt<OrchestrationItem> take(Duration lock) {
    return claims.take(lock);
  }

  Written<OrchestrationItem> enqueue(InstanceMessage message) {
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

  private Held giveBack(Change change) {
    Set<String> given = database.transaction(tx -> queue.giveBack(tx, List.of(change)));
    InstanceClaims.earliest(database, queue, given).ifPresent(orchestrators::wrote);
    return given.isEmpty() ? Held.LOST : Held.HELD;
  }

  private List<Written<OrchestrationItem>> insert(List<InstanceMessage> batch) {
    Written<OrchestrationItem> written =
        claims.under(
            batch.size(),
            grant ->
                Told.insert(
                    database,
                    orchestrators,
                    tx -> queue.insert(tx, batch, grant),
                    answers -> InstanceQueue.written(answers, grant)),
            it -> it);
    return Collections.nCopies(batch.size(), written);
  }

  private List<Held> commit(List<Pending> batch) {
    int wanted =
        batch.stream().mapToInt(pending -> Places.without(pending.turn().work()).size()).sum();
    Committed committed =
        works.under(
            wanted,
            grant -> database.transaction(tx -> turns.commit(tx, batch, grant)),
            Committed::work);
    committed.work().earliest().ifPresent(workers::wrote);
    committed.messages().ifPresent(orchestrators::wrote);
    return Granted.of(batch.stream().map(Pending::ref).toList(), committed.held()).answers();
  }

  private List<Held> extend(List<Change> batch) {
    Set<Ref> held = database.transaction(tx -> queue.renew(tx, batch));
    return Granted.of(batch.stream().map(Change::ref).toList(), held).answers();
  }
}
