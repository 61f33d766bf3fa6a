package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.WorkItemAcks.AckOutcome;
import io.convoke.engine.durable.postgres.WorkItemAcks.WorkItemAck;
import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockChange;
import io.convoke.engine.durable.postgres.WorkerQueue.WorkItemLockRef;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
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
final class WorkItemStore {
  private static final int BATCH_MAX = 500;

  private final Database database;
  private final QueueHandle orchestrators;
  private final QueueHandle workers;
  private final WorkerQueue queue = new WorkerQueue();
  private final WorkItemAcks workItemAcks = new WorkItemAcks();
  private final QueueClaimer<WorkItem> queueClaimer;
  private final QueueClaimer<OrchestrationItem> instances;
  private final GroupCommit<WorkMessage, InsertResult<WorkItem>> enqueues;
  private final GroupCommit<WorkItemAck, LockStatus> acks;
  private final GroupCommit<WorkItemLockChange, LockStatus> renewals;

  WorkItemStore(
      Database database,
      QueueClaimer<WorkItem> queueClaimer,
      QueueClaimer<OrchestrationItem> instances) {
    this.database = database;
    this.queueClaimer = queueClaimer;
    this.instances = instances;
    this.orchestrators = instances.lane();
    this.workers = queueClaimer.lane();
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(BATCH_MAX, 2, this::remove);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  /** Acknowledges nothing, on two connections; see {@link QueueClaimer#rehearse}. */
  void rehearse() {
    Set<WorkItemLockRef> _ =
        database.read(
            tx -> {
              AckOutcome _ =
                  database.read(other -> workItemAcks.commit(other, List.of(), Handoff.NONE));
              return queue.remove(tx, List.of());
            });
  }

  InsertResult<WorkItem> enqueue(WorkMessage message) {
    return enqueues.submit(message);
  }

  LockStatus ack(String token, Optional<InstanceMessage> completion) {
    return WorkItemLockRef.of(token)
        .map(workItemLockRef -> acks.submit(new WorkItemAck(workItemLockRef, completion)))
        .orElse(LockStatus.LOST);
  }

  LockStatus renew(String token, Duration extendBy) {
    return WorkItemLockRef.of(token)
        .map(
            workItemLockRef ->
                renewals.submit(
                    new WorkItemLockChange(workItemLockRef, Optional.of(extendBy), false)))
        .orElse(LockStatus.LOST);
  }

  LockStatus abandon(String token, Optional<Duration> delay, boolean ignoreAttempt) {
    return WorkItemLockRef.of(token)
        .map(
            workItemLockRef ->
                giveBack(new WorkItemLockChange(workItemLockRef, delay, ignoreAttempt)))
        .orElse(LockStatus.LOST);
  }

  private LockStatus giveBack(WorkItemLockChange workItemLockChange) {
    Optional<Instant> from = database.read(tx -> queue.release(tx, List.of(workItemLockChange)));
    from.ifPresent(workers::wrote);
    return from.isPresent() ? LockStatus.HELD : LockStatus.LOST;
  }

  private List<InsertResult<WorkItem>> insert(List<WorkMessage> batch) {
    List<WorkMessage> free = ConcurrencyLimits.without(batch);
    InsertResult<WorkItem> insertResult =
        queueClaimer.under(
            free.size(),
            handoff ->
                free.size() == batch.size() ? told(free, handoff) : both(batch, free, handoff),
            it -> it);
    return Collections.nCopies(batch.size(), insertResult);
  }

  private InsertResult<WorkItem> told(List<WorkMessage> batch, Handoff handoff) {
    return NotifyingInsert.insert(
        database,
        workers,
        tx -> queue.insert(tx, batch, handoff),
        batchResults -> WorkerQueue.written(batchResults, handoff));
  }

  private InsertResult<WorkItem> both(
      List<WorkMessage> batch, List<WorkMessage> free, Handoff handoff) {
    InsertResult<WorkItem> insertResult =
        database.transaction(
            tx -> {
              InsertResult<WorkItem> unlimited =
                  tx.queryTogether(
                      List.of(queue.insert(tx, free, handoff)),
                      batchResults -> WorkerQueue.written(batchResults, handoff));
              tx.run(ConcurrencyLimits.inserting(tx, ConcurrencyLimits.with(batch)));
              return unlimited;
            });
    insertResult.earliest().ifPresent(workers::wrote);
    return insertResult;
  }

  private List<LockStatus> remove(List<WorkItemAck> batch) {
    List<WorkItemLockRef> refs = batch.stream().map(WorkItemAck::ref).toList();
    int told =
        Math.toIntExact(
            batch.stream().filter(workItemAck -> workItemAck.completion().isPresent()).count());
    if (told == 0) {
      return AckResults.of(refs, database.read(tx -> queue.remove(tx, refs))).answers();
    }
    AckOutcome ackOutcome =
        instances.under(
            told,
            handoff -> database.read(tx -> workItemAcks.commit(tx, batch, handoff)),
            AckOutcome::written);
    ackOutcome.written().earliest().ifPresent(orchestrators::wrote);
    return AckResults.of(refs, ackOutcome.held()).answers();
  }

  private List<LockStatus> extend(List<WorkItemLockChange> batch) {
    List<WorkItemLockRef> refs = batch.stream().map(WorkItemLockChange::ref).toList();
    return AckResults.of(refs, database.read(tx -> queue.renew(tx, batch))).answers();
  }
}
