package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.postgres.QueueClaimer.Handoff;
import io.convoke.engine.durable.postgres.QueueClaimer.InsertResult;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.sql.GroupCommit;
import io.convoke.engine.sql.StoreUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Group commits of one queue: inserts, acks and renewals of many callers in few transactions. An
 * ack writes to the other queue, so each of the two hands over what the other's dispatchers wait
 * for.
 *
 * @param <T> an item of this queue
 * @param <M> a message that becomes such an item
 * @param <A> what an ack commits
 * @param <U> an item of the other queue
 */
final class QueueCommits<T, M, A, U> {
  private static final int BATCH_MAX = 500;

  /** The statements of a queue. */
  interface QueueStatements<T, M, A, U> {
    /** How many items that may be locked at once a message becomes: one or none. */
    int claimable(M message);

    InsertResult<T> insert(List<M> messages, Handoff handoff);

    /** How many items of the other queue that may be locked at once an ack inserts. */
    int claimableAfter(A ack);

    AckResult<U> ack(List<LockAck<A>> acks, Handoff handoff);

    /** Extends the locks that have not expired, and returns them. */
    Set<LockRef> renew(List<LockChange> changes);

    ReleaseResult release(List<LockChange> changes);
  }

  /** A lock: the token of the claim that took it, and the item's key. */
  record LockRef(String claim, String key) {
    /** Parses a lock token; empty if it has no separator. */
    static Optional<LockRef> of(String token) {
      int slash = token.indexOf('/');
      return slash < 0
          ? Optional.empty()
          : Optional.of(new LockRef(token.substring(0, slash), token.substring(slash + 1)));
    }

    /** The lock token that {@link #of} parses. */
    String token() {
      return claim + "/" + key;
    }
  }

  /** The ack of a locked item. */
  record LockAck<A>(LockRef ref, A commit) {}

  /**
   * The renewal or release of a lock.
   *
   * @param time the extension of a renewal, or the delay until a released item is visible
   */
  record LockChange(LockRef ref, Optional<Duration> time, boolean ignoreAttempt) {}

  /**
   * The result of acks.
   *
   * @param held the locks that had not expired
   * @param inserted what the acks inserted into the other queue
   * @param earliest from when on an unlocked item of this queue may be claimed, if there is any
   */
  record AckResult<U>(Set<LockRef> held, InsertResult<U> inserted, Optional<Instant> earliest) {}

  /**
   * The result of a release.
   *
   * @param held whether any of the locks was still held
   * @param earliest from when on one of the items may be claimed
   */
  record ReleaseResult(boolean held, Optional<Instant> earliest) {
    static final ReleaseResult LOST = new ReleaseResult(false, Optional.empty());
  }

  private final QueueStatements<T, M, A, U> statements;
  private final QueueClaimer<T> claimer;
  private final QueueClaimer<U> otherClaimer;
  private final GroupCommit<M, Boolean> inserts;
  private final GroupCommit<LockAck<A>, LockStatus> acks;
  private final GroupCommit<LockChange, LockStatus> renewals;

  /**
   * Group commits without callers.
   *
   * @param claimer of this queue
   * @param otherClaimer of the queue to which acks write
   * @param ackBatchMax acks of one transaction
   */
  QueueCommits(
      QueueStatements<T, M, A, U> statements,
      QueueClaimer<T> claimer,
      QueueClaimer<U> otherClaimer,
      int ackBatchMax) {
    this.statements = statements;
    this.claimer = claimer;
    this.otherClaimer = otherClaimer;
    this.inserts = new GroupCommit<>(BATCH_MAX, 2, this::insertBatch);
    this.acks = new GroupCommit<>(ackBatchMax, 2, this::ackBatch);
    this.renewals = new GroupCommit<>(BATCH_MAX, 1, this::renewBatch);
  }

  /** Returns true when the message is durable. */
  boolean insert(M message) {
    return inserts.submit(message);
  }

  LockStatus ack(String token, A commit) {
    return LockRef.of(token)
        .map(ref -> acks.submit(new LockAck<>(ref, commit)))
        .orElse(LockStatus.LOST);
  }

  LockStatus renew(String token, Duration extendBy) {
    return LockRef.of(token)
        .map(ref -> renewals.submit(new LockChange(ref, Optional.of(extendBy), false)))
        .orElse(LockStatus.LOST);
  }

  LockStatus abandon(String token, Optional<Duration> delay, boolean ignoreAttempt) {
    ReleaseResult released =
        LockRef.of(token)
            .map(ref -> List.of(new LockChange(ref, delay, ignoreAttempt)))
            .map(statements::release)
            .orElse(ReleaseResult.LOST);
    boolean forOthers = ignoreAttempt && delay.isPresent();
    released.earliest().ifPresent(forOthers ? claimer::announceToOthers : claimer::announce);
    return released.held() ? LockStatus.HELD : LockStatus.LOST;
  }

  private List<Boolean> insertBatch(List<M> batch) {
    InsertResult<T> _ =
        claimer.handingOver(
            batch.stream().mapToInt(statements::claimable).sum(),
            handoff -> statements.insert(batch, handoff),
            it -> it);
    return Collections.nCopies(batch.size(), true);
  }

  private List<LockStatus> ackBatch(List<LockAck<A>> batch) {
    AckResult<U> result;
    try {
      result =
          otherClaimer.handingOver(
              batch.stream().mapToInt(ack -> statements.claimableAfter(ack.commit)).sum(),
              handoff -> statements.ack(batch, handoff),
              AckResult::inserted);
    } catch (StoreUnavailable e) {
      // The commit may have happened, and have released instances with further messages.
      claimer.announce(Instant.EPOCH);
      throw e;
    }
    result.inserted.earliest().ifPresent(otherClaimer::announce);
    result.earliest.ifPresent(claimer::announce);
    return statuses(batch.stream().map(LockAck::ref).toList(), result.held);
  }

  private List<LockStatus> renewBatch(List<LockChange> batch) {
    return statuses(batch.stream().map(LockChange::ref).toList(), statements.renew(batch));
  }

  /** The status of each lock; of a lock that occurs twice the second is lost. */
  private static List<LockStatus> statuses(List<LockRef> refs, Set<LockRef> held) {
    Set<LockRef> left = new HashSet<>(held);
    List<LockStatus> statuses = new ArrayList<>(refs.size());
    for (LockRef ref : refs) {
      statuses.add(left.remove(ref) ? LockStatus.HELD : LockStatus.LOST);
    }
    return statuses;
  }
}
