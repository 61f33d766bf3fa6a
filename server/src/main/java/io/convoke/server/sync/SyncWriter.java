package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.state.LifecycleStep;
import io.convoke.server.loop.QueryBatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a sync status. Updates of many callers share one transaction: it locks the
 * rows, runs the reducer on each update in order of arrival, and writes one upsert and the journal
 * events. Only committed records are stored in the cache.
 *
 * <p>While Postgres is unreachable, writes are retried with exponential backoff and jitter until
 * the deadline. An update keeps its id in all retries, so an unconfirmed commit counts once.
 */
final class SyncWriter {
  private static final Logger log = LoggerFactory.getLogger(SyncWriter.class);
  private static final int BATCH_MAX = 256;

  /** One at a time: concurrent transactions would wait for each other's row locks. */
  private static final int TRIPS_MAX = 1;

  private static final int WAITING_MAX = 20_000;
  private static final int OVERTAKEN_MAX = 10;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Database database;
  private final Journal journal;
  private final SyncCache cache;
  private final SyncMetrics metrics;
  private final Duration deadline;
  private final SyncLifecycle lifecycle = new SyncLifecycle();
  private final List<SyncFeature.RetryHook> hooks = new CopyOnWriteArrayList<>();
  private final QueryBatcher<SyncWriteRequest, SyncUpdateResult> queryBatcher;

  SyncWriter(
      Database database, Journal journal, SyncCache cache, SyncMetrics metrics, Duration deadline) {
    this.database = database;
    this.journal = journal;
    this.cache = cache;
    this.metrics = metrics;
    this.deadline = deadline;
    this.queryBatcher =
        new QueryBatcher<>("sync-write", BATCH_MAX, TRIPS_MAX, WAITING_MAX, this::commit);
  }

  /**
   * An update of a meeting, with the id that this node gave it.
   *
   * @param again whether it was sent before, with an unknown outcome
   */
  private record SyncWriteRequest(String meetingId, SyncUpdate update, String id, boolean again) {
    static SyncWriteRequest of(String meetingId, SyncUpdate update) {
      String id = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
      return new SyncWriteRequest(meetingId, update, id, false);
    }

    SyncWriteRequest sentBefore() {
      return new SyncWriteRequest(meetingId, update, id, true);
    }
  }

  void onRetry(SyncFeature.RetryHook hook) {
    hooks.add(hook);
  }

  /**
   * Applies an update; it is durable when this returns.
   *
   * @throws StoreUnavailable when Postgres was unreachable until the deadline; the last try may
   *     have been committed
   */
  SyncUpdateResult write(String meetingId, SyncUpdate update) {
    SyncWriteRequest syncWriteRequest = SyncWriteRequest.of(meetingId, update);
    long began = System.nanoTime();
    for (int tries = 1; ; tries++) {
      try {
        SyncUpdateResult syncUpdateResult = queryBatcher.submit(syncWriteRequest, left(began));
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        metrics.updated(update, syncUpdateResult, took, tries);
        return syncUpdateResult;
      } catch (StoreUnavailable e) {
        Duration pause = pause(tries);
        if (left(began).compareTo(pause) <= 0) {
          metrics.unavailable(update, tries);
          throw e;
        }
        log.debug("Retrying update of {} in {}: {}", meetingId, pause, e.getMessage());
        LockSupport.parkNanos(pause.toNanos());
        syncWriteRequest = syncWriteRequest.sentBefore();
      } catch (RuntimeException e) {
        metrics.failed(update, tries);
        throw e;
      }
    }
  }

  /**
   * Applies an update in the caller's transaction, together with the caller's own writes. Rows stay
   * locked until its end. The cache is updated after the commit.
   */
  SyncUpdateResult write(Tx tx, String meetingId, SyncUpdate update) {
    String generation = cache.generation();
    SyncWriteBatch syncWriteBatch = decide(tx, List.of(SyncWriteRequest.of(meetingId, update)));
    tx.run(journal.entries(tx, syncWriteBatch.events));
    tx.afterCommit(
        () -> {
          cache.put(syncWriteBatch.records.values(), generation);
          metrics.updated(update, syncWriteBatch.applied.getFirst(), Duration.ZERO, 1);
        });
    return syncWriteBatch.applied.getFirst();
  }

  /** The sync is no problem, or has another version. */
  static final class NothingToDismiss extends RuntimeException {
    private NothingToDismiss() {
      super("no such problem", null, false, false);
    }
  }

  /**
   * Dismisses a problem, with a journal row; changes nothing that readers see.
   *
   * @throws NothingToDismiss if there is none of this version; nothing is committed then
   */
  SyncRecord dismiss(String meetingId, long version, Duration stallAfter, String by) {
    return database.transaction(
        tx -> {
          SyncRecord found =
              SyncStore.dismiss(tx, meetingId, version, stallAfter)
                  .orElseThrow(NothingToDismiss::new);
          journal.append(tx, List.of(SyncJournal.dismissed(found, by)));
          return found;
        });
  }

  private Duration left(long began) {
    Duration left = deadline.minusNanos(System.nanoTime() - began);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Exponential backoff with jitter. */
  static Duration pause(int tries) {
    long most =
        Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(tries - 1, 10));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }

  private List<SyncUpdateResult> commit(List<SyncWriteRequest> wishes) {
    for (int attempt = 1; ; attempt++) {
      try {
        String generation = cache.generation();
        SyncWriteBatch syncWriteBatch =
            database.transaction(
                tx -> {
                  SyncWriteBatch decided = decide(tx, wishes);
                  tx.commit(journal.entries(tx, decided.events));
                  return decided;
                });
        cache.put(syncWriteBatch.records.values(), generation);
        return syncWriteBatch.applied;
      } catch (SyncStore.ConcurrentSyncUpdate e) {
        if (attempt == OVERTAKEN_MAX) {
          throw new StoreUnavailable("repeated conflicts with other writers");
        }
      }
    }
  }

  /** One transaction. */
  private record SyncWriteBatch(
      List<SyncUpdateResult> applied,
      List<NewJournalEvent> events,
      Map<String, SyncRecordCodec.EncodedSyncRecord> records) {}

  private SyncWriteBatch decide(Tx tx, List<SyncWriteRequest> wishes) {
    Collection<String> ids =
        new TreeSet<>(wishes.stream().map(SyncWriteRequest::meetingId).toList());
    SyncStore.LockedSyncs lockedSyncs = SyncStore.lock(tx, ids);
    Map<String, SyncLifecycle.SyncState> states = new HashMap<>(lockedSyncs.states());
    Map<String, SyncLifecycle.SyncState> written = new TreeMap<>();
    Map<String, SyncRecordCodec.EncodedSyncRecord> records = new TreeMap<>();
    List<SyncUpdateResult> applied = new ArrayList<>();
    List<NewJournalEvent> events = new ArrayList<>();
    Set<String> before = appliedBefore(tx, wishes);
    for (SyncWriteRequest syncWriteRequest : wishes) {
      SyncLifecycle.SyncState syncState =
          Objects.requireNonNull(states.get(syncWriteRequest.meetingId));
      SyncRecord was = syncState.record();
      LifecycleStep<SyncLifecycle.SyncState> lifecycleStep =
          before.contains(syncWriteRequest.id)
              ? new LifecycleStep.StateUnchanged<>("applied before")
              : lifecycle.next(
                  syncState,
                  new SyncLifecycle.SyncEvent(syncWriteRequest.update, lockedSyncs.at()));
      switch (lifecycleStep) {
        case LifecycleStep.StateChanged<SyncLifecycle.SyncState>(
                SyncLifecycle.SyncState moved,
                String _) -> {
          SyncLifecycle.SyncState to =
              syncWriteRequest.update instanceof SyncUpdate.SyncRetryRequested
                      && !restarted(tx, was)
                  ? moved.unanswered()
                  : moved;
          SyncRecordCodec.EncodedSyncRecord encodedSyncRecord = SyncRecordCodec.write(to.record());
          var _ = states.put(syncWriteRequest.meetingId, to);
          var _ = written.put(syncWriteRequest.meetingId, to);
          var _ = records.put(syncWriteRequest.meetingId, encodedSyncRecord);
          events.add(
              SyncJournal.event(
                  encodedSyncRecord, was.status(), syncWriteRequest.update, syncWriteRequest.id));
          applied.add(new SyncUpdateResult.SyncUpdated(to.record(), was.status()));
        }
        case LifecycleStep.StateUnchanged<SyncLifecycle.SyncState>(String why) ->
            applied.add(new SyncUpdateResult.SyncUpdateIgnored(was, why));
        case LifecycleStep.EventRefused<SyncLifecycle.SyncState>(String why) ->
            applied.add(new SyncUpdateResult.SyncUpdateRefused(was, why));
      }
      // Unchanged records too: the cache must not return an older version to the same caller.
      var _ = records.computeIfAbsent(syncWriteRequest.meetingId, _ -> SyncRecordCodec.write(was));
    }
    if (!written.isEmpty()) {
      Map<String, Long> basedOn = new HashMap<>();
      lockedSyncs
          .states()
          .forEach((id, syncState) -> basedOn.put(id, syncState.record().version()));
      SyncStore.upsert(tx, basedOn, written.values());
    }
    return new SyncWriteBatch(applied, events, records);
  }

  /** Whether a job of this server is under way after a retry; all hooks are called. */
  private boolean restarted(Tx tx, SyncRecord was) {
    boolean some = false;
    for (SyncFeature.RetryHook hook : hooks) {
      some |= hook.retried(tx, was);
    }
    return some;
  }

  /** The retried updates that were already committed; queried under their row locks. */
  private static Set<String> appliedBefore(Tx tx, List<SyncWriteRequest> wishes) {
    List<SyncWriteRequest> again = wishes.stream().filter(SyncWriteRequest::again).toList();
    return again.isEmpty()
        ? Set.of()
        : SyncStore.known(
            tx,
            again.stream().map(SyncWriteRequest::meetingId).toList(),
            again.stream().map(SyncWriteRequest::id).toList());
  }
}
