package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.Completions.Ack;
import io.convoke.engine.durable.postgres.Completions.Acked;
import io.convoke.engine.durable.postgres.WorkerQueue.Change;
import io.convoke.engine.durable.postgres.WorkerQueue.Ref;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Work items: their claims, and group commits of everything that changes them. */
final class Works {
  private static final int BATCH_MAX = 500;

  private final Database database;
  private final Lane orchestrators;
  private final Lane workers;
  private final WorkerQueue queue = new WorkerQueue();
  private final Completions completions = new Completions();
  private final Claims<WorkItem> claims;
  private final Claims<OrchestrationItem> instances;
  private final GroupCommit<WorkMessage, Written<WorkItem>> enqueues;
  private final GroupCommit<Ack, Held> acks;
  private final GroupCommit<Change, Held> renewals;

  Works(Database database, Claims<WorkItem> claims, Claims<OrchestrationItem> instances) {
    this.database = database;
    this.claims = claims;
    this.instances = instances;
    this.orchestrators = instances.lane();
    this.workers = claims.lane();
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(BATCH_MAX, 2, this::remove);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  /** Acknowledges nothing, on two connections; see {@link Claims#rehearse}. */
  void rehearse() {
    Set<Ref> _ =
        database.read(
            tx -> {
              Acked _ = database.read(other -> completions.commit(other, List.of(), Grant.NONE));
              return queue.remove(tx, List.of());
            });
  }

  Written<WorkItem> enqueue(WorkMessage message) {
    return enqueues.submit(message);
  }

  Held ack(String token, Optional<InstanceMessage> completion) {
    return Ref.of(token).map(ref -> acks.submit(new Ack(ref, completion))).orElse(Held.LOST);
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

  private Held giveBack(Change change) {
    Optional<Instant> from = database.read(tx -> queue.giveBack(tx, List.of(change)));
    from.ifPresent(workers::wrote);
    return from.isPresent() ? Held.HELD : Held.LOST;
  }

  private List<Written<WorkItem>> insert(List<WorkMessage> batch) {
    List<WorkMessage> free = Places.without(batch);
    Written<WorkItem> written =
        claims.under(
            free.size(),
            grant -> free.size() == batch.size() ? told(free, grant) : both(batch, free, grant),
            it -> it);
    return Collections.nCopies(batch.size(), written);
  }

  private Written<WorkItem> told(List<WorkMessage> batch, Grant grant) {
    return Told.insert(
        database,
        workers,
        tx -> queue.insert(tx, batch, grant),
        answers -> WorkerQueue.written(answers, grant));
  }

  private Written<WorkItem> both(List<WorkMessage> batch, List<WorkMessage> free, Grant grant) {
    Written<WorkItem> written =
        database.transaction(
            tx -> {
              Written<WorkItem> unlimited =
                  tx.ask(
                      List.of(queue.insert(tx, free, grant)),
                      answers -> WorkerQueue.written(answers, grant));
              tx.run(Places.inserting(tx, Places.with(batch)));
              return unlimited;
            });
    written.earliest().ifPresent(workers::wrote);
    return written;
  }

  private List<Held> remove(List<Ack> batch) {
    List<Ref> refs = batch.stream().map(Ack::ref).toList();
    int told = Math.toIntExact(batch.stream().filter(ack -> ack.completion().isPresent()).count());
    if (told == 0) {
      return Granted.of(refs, database.read(tx -> queue.remove(tx, refs))).answers();
    }
    Acked acked =
        instances.under(
            told,
            grant -> database.read(tx -> completions.commit(tx, batch, grant)),
            Acked::written);
    acked.written().earliest().ifPresent(orchestrators::wrote);
    return Granted.of(refs, acked.held()).answers();
  }

  private List<Held> extend(List<Change> batch) {
    List<Ref> refs = batch.stream().map(Change::ref).toList();
    return Granted.of(refs, database.read(tx -> queue.renew(tx, batch))).answers();
  }
}
