package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.WorkerQueue.Change;
import io.convoke.engine.durable.postgres.WorkerQueue.Ref;
import io.convoke.engine.durable.provider.Held;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.Attempt;
import io.convoke.engine.wake.StoreClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Work items: their claims, and group commits of everything that changes them. */
final class Works {
  private static final int CLAIM_MAX = 500;
  private static final int BATCH_MAX = 500;

  private record Ack(Ref ref, Optional<InstanceMessage> completion) {}

  private record Acked(Granted held, Optional<Told> sent) {}

  private final Database database;
  private final StoreClock clock;
  private final Lane orchestrators;
  private final Lane workers;
  private final WorkerQueue queue = new WorkerQueue();
  private final InstanceQueue messages = new InstanceQueue();
  private final Claims<WorkItem> claims;
  private final GroupCommit<WorkMessage, Told> enqueues;
  private final GroupCommit<Ack, Held> acks;
  private final GroupCommit<Change, Held> renewals;

  Works(Database database, StoreClock clock, Lane orchestrators, Lane workers) {
    this.database = database;
    this.clock = clock;
    this.orchestrators = orchestrators;
    this.workers = workers;
    this.claims = new Claims<>(this::claim, clock, workers, CLAIM_MAX);
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(BATCH_MAX, 2, this::remove);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  Attempt<WorkItem> take(Duration lock) {
    return claims.take(lock);
  }

  Told enqueue(WorkMessage message) {
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
        .map(ref -> giveBack(List.of(new Change(ref, delay, ignoreAttempt))))
        .orElse(Held.LOST);
  }

  long claims() {
    return claims.count();
  }

  void giveBackAll() {
    List<Change> left =
        claims.drain().stream()
            .flatMap(item -> Ref.of(item.lockToken()).stream())
            .map(ref -> new Change(ref, Optional.empty(), true))
            .toList();
    if (!left.isEmpty()) {
      Held _ = giveBack(left);
    }
  }

  private Claims.Seen<WorkItem> claim(Claim claim) {
    List<Claimed<WorkItem>> items = database.read(tx -> queue.claim(tx, claim));
    return new Claims.Seen<>(items, items.size() < claim.limit(), false);
  }

  private Held giveBack(List<Change> changes) {
    Set<Ref> given = database.read(tx -> queue.giveBack(tx, changes));
    Duration delay = changes.getFirst().time().orElse(Duration.ZERO);
    // A row that keeps its time may lie anywhere below the floor.
    Instant from = delay.isZero() ? Instant.EPOCH : clock.now().plus(delay);
    if (!given.isEmpty()) {
      workers.wrote(from);
    }
    return given.isEmpty() ? Held.LOST : Held.HELD;
  }

  private List<Told> insert(List<WorkMessage> batch) {
    List<WorkMessage> limited = Places.with(batch);
    Told told =
        limited.isEmpty()
            ? database.read(tx -> queue.insert(tx, batch))
            : database.transaction(tx -> insertBoth(tx, batch, limited));
    told.earliest().ifPresent(workers::wrote);
    return Collections.nCopies(batch.size(), told);
  }

  private Told insertBoth(Tx tx, List<WorkMessage> batch, List<WorkMessage> limited) {
    Told told = queue.insert(tx, Places.without(batch));
    Places.insert(tx, limited);
    return told;
  }

  private List<Held> remove(List<Ack> batch) {
    boolean silent = batch.stream().allMatch(ack -> ack.completion.isEmpty());
    List<Ref> refs = batch.stream().map(Ack::ref).toList();
    Acked acked =
        silent
            ? new Acked(
                Granted.of(refs, database.read(tx -> queue.remove(tx, refs))), Optional.empty())
            : database.transaction(tx -> removeAndSend(tx, batch, refs));
    acked.sent.flatMap(Told::earliest).ifPresent(orchestrators::wrote);
    return acked.held.answers();
  }

  private Acked removeAndSend(Tx tx, List<Ack> batch, List<Ref> refs) {
    Granted held = Granted.of(refs, queue.remove(tx, refs));
    List<InstanceMessage> completions =
        held.those(batch).stream().flatMap(ack -> ack.completion.stream()).toList();
    return completions.isEmpty()
        ? new Acked(held, Optional.empty())
        : new Acked(held, Optional.of(messages.insert(tx, completions)));
  }

  private List<Held> extend(List<Change> batch) {
    List<Ref> refs = batch.stream().map(Change::ref).toList();
    return Granted.of(refs, database.read(tx -> queue.renew(tx, batch))).answers();
  }
}
