package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.InstanceQueue.InstanceLockChange;
import io.convoke.engine.durable.postgres.InstanceQueue.InstanceLockRef;
import io.convoke.engine.durable.postgres.TurnStore.PendingTurn;
import io.convoke.engine.durable.postgres.TurnStore.TurnCommitResult;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.OrchestrationItem;
import io.convoke.engine.durable.provider.TurnCommit;
import io.convoke.engine.durable.provider.WorkItem;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.wake.PollResult;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Instances: claims of their messages, and group commits of their turns. */
final class InstanceStore {
  private static final int TURNS_MAX = 200;
  private static final int BATCH_MAX = 500;

  private final Database database;
  private final QueueHandle orchestrators;
  private final QueueHandle workers;
  private final InstanceQueue queue = new InstanceQueue();
  private final TurnStore turns = new TurnStore();
  private final QueueClaimer<OrchestrationItem> queueClaimer;
  private final QueueClaimer<WorkItem> works;
  private final GroupCommit<InstanceMessage, InsertResult<OrchestrationItem>> enqueues;
  private final GroupCommit<PendingTurn, LockStatus> acks;
  private final GroupCommit<InstanceLockChange, LockStatus> renewals;

  InstanceStore(
      Database database,
      QueueClaimer<OrchestrationItem> queueClaimer,
      QueueClaimer<WorkItem> works) {
    this.database = database;
    this.queueClaimer = queueClaimer;
    this.works = works;
    this.orchestrators = queueClaimer.lane();
    this.workers = works.lane();
    this.enqueues = new GroupCommit<>(BATCH_MAX, 2, this::insert);
    this.acks = new GroupCommit<>(TURNS_MAX, 2, this::commit);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::extend);
  }

  PollResult<OrchestrationItem> take(Duration lock) {
    return queueClaimer.claimNext(lock);
  }

  InsertResult<OrchestrationItem> enqueue(InstanceMessage message) {
    return enqueues.submit(message);
  }

  LockStatus ack(String token, TurnCommit turnCommit) {
    return InstanceLockRef.of(token)
        .map(instanceLockRef -> acks.submit(new PendingTurn(instanceLockRef, turnCommit)))
        .orElse(LockStatus.LOST);
  }

  LockStatus renew(String token, Duration extendBy) {
    return InstanceLockRef.of(token)
        .map(
            instanceLockRef ->
                renewals.submit(
                    new InstanceLockChange(instanceLockRef, Optional.of(extendBy), false)))
        .orElse(LockStatus.LOST);
  }

  LockStatus abandon(String token, Optional<Duration> delay, boolean ignoreAttempt) {
    return InstanceLockRef.of(token)
        .map(
            instanceLockRef ->
                giveBack(new InstanceLockChange(instanceLockRef, delay, ignoreAttempt)))
        .orElse(LockStatus.LOST);
  }

  long claims() {
    return queueClaimer.count();
  }

  private LockStatus giveBack(InstanceLockChange instanceLockChange) {
    Set<String> given = database.transaction(tx -> queue.release(tx, List.of(instanceLockChange)));
    InstanceClaimStatements.earliest(database, queue, given).ifPresent(orchestrators::wrote);
    return given.isEmpty() ? LockStatus.LOST : LockStatus.HELD;
  }

  private List<InsertResult<OrchestrationItem>> insert(List<InstanceMessage> batch) {
    InsertResult<OrchestrationItem> insertResult =
        queueClaimer.under(
            batch.size(),
            handoff ->
                NotifyingInsert.insert(
                    database,
                    orchestrators,
                    tx -> queue.insert(tx, batch, handoff),
                    batchResults -> InstanceQueue.written(batchResults, handoff)),
            it -> it);
    return Collections.nCopies(batch.size(), insertResult);
  }

  private List<LockStatus> commit(List<PendingTurn> batch) {
    int wanted =
        batch.stream()
            .mapToInt(pendingTurn -> ConcurrencyLimits.without(pendingTurn.turn().work()).size())
            .sum();
    TurnCommitResult turnCommitResult =
        works.under(
            wanted,
            handoff -> database.transaction(tx -> turns.commit(tx, batch, handoff)),
            TurnCommitResult::work);
    turnCommitResult.work().earliest().ifPresent(workers::wrote);
    turnCommitResult.messages().ifPresent(orchestrators::wrote);
    return AckResults.of(batch.stream().map(PendingTurn::ref).toList(), turnCommitResult.held())
        .answers();
  }

  private List<LockStatus> extend(List<InstanceLockChange> batch) {
    Set<InstanceLockRef> held = database.transaction(tx -> queue.renew(tx, batch));
    return AckResults.of(batch.stream().map(InstanceLockChange::ref).toList(), held).answers();
  }
}
