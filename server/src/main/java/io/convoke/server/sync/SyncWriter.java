package io.convoke.server.sync;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.state.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a sync status. Updates of many callers share one transaction: rows locked,
 * each update decided by the reducer in the order of its arrival, one upsert, their journal rows.
 * Only what is committed is stored in the cache.
 *
 * <p>A database that is away is tried again with growing, jittered pauses until the deadline. An
 * update keeps its number in all its tries, so one whose commit was not confirmed counts once.
 */
final class SyncWriter {
  private static final Logger log = LoggerFactory.getLogger(SyncWriter.class);
  private static final int BATCH_MAX = 256;

  /** Two would wait for the rows of each other's meetings. */
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
  private final List<Sync.RetryHook> hooks = new CopyOnWriteArrayList<>();
  private final Batches<Wish, Applied> batches;

  SyncWriter(
      Database database, Journal journal, SyncCache cache, SyncMetrics metrics, Duration deadline) {
    this.database = database;
    this.journal = journal;
    this.cache = cache;
    this.metrics = metrics;
    this.deadline = deadline;
    this.batches = new Batches<>("sync-write", BATCH_MAX, TRIPS_MAX, WAITING_MAX, this::commit);
  }

  /**
   * An update of a meeting, with the number that this node gave it.
   *
   * @param again whether it was sent before, with an unknown outcome
   */
  private record Wish(String meetingId, SyncUpdate update, String id, boolean again) {
    static Wish of(String meetingId, SyncUpdate update) {
      String id = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
      return new Wish(meetingId, update, id, false);
    }

    Wish sentBefore() {
      return new Wish(meetingId, update, id, true);
    }
  }

  void onRetry(Sync.RetryHook hook) {
    hooks.add(hook);
  }

  /**
   * Applies an update; when this returns, it is durable.
   *
   * @throws StoreUnavailable when the database stayed out of reach until the deadline; the last try
   *     may have been committed
   */
  Applied write(String meetingId, SyncUpdate update) {
    Wish wish = Wish.of(meetingId, update);
    long began = System.nanoTime();
    for (int tries = 1; ; tries++) {
      try {
        Applied applied = batches.ask(wish, left(began));
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        metrics.updated(update, applied, took, tries);
        return applied;
      } catch (StoreUnavailable e) {
        Duration pause = pause(tries);
        if (left(began).compareTo(pause) <= 0) {
          metrics.unavailable(update, tries);
          throw e;
        }
        log.debug("update of {} tried again after {}: {}", meetingId, pause, e.getMessage());
        LockSupport.parkNanos(pause.toNanos());
        wish = wish.sentBefore();
      } catch (RuntimeException e) {
        metrics.failed(update, tries);
        throw e;
      }
    }
  }

  /**
   * Applies an update in a transaction of the caller's, who may commit work of its own with it.
   * Rows stay locked until then. The cache follows the commit.
   */
  Applied write(Tx tx, String meetingId, SyncUpdate update) {
    String generation = cache.generation();
    Turn turn = decide(tx, List.of(Wish.of(meetingId, update)));
    tx.run(journal.entries(tx, turn.events));
    tx.afterCommit(
        () -> {
          cache.put(turn.told.values(), generation);
          metrics.updated(update, turn.applied.getFirst(), Duration.ZERO, 1);
        });
    return turn.applied.getFirst();
  }

  /** Dismisses a problem, with a journal row; changes nothing that readers see. */
  Optional<SyncRecord> dismiss(String meetingId, long version, Duration stallAfter, String by) {
    return database.transaction(
        tx -> {
          Optional<SyncRecord> found = SyncStore.dismiss(tx, meetingId, version, stallAfter);
          found.ifPresent(it -> journal.append(tx, List.of(SyncChange.dismissed(it, by))));
          return found;
        });
  }

  private Duration left(long began) {
    Duration left = deadline.minusNanos(System.nanoTime() - began);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Doubles each time, and is drawn from its upper half so that callers do not come together. */
  static Duration pause(int tries) {
    long most =
        Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(tries - 1, 10));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
  }

  private List<Applied> commit(List<Wish> wishes) {
    for (int attempt = 1; ; attempt++) {
      try {
        String generation = cache.generation();
        Turn turn =
            database.transaction(
                tx -> {
                  Turn decided = decide(tx, wishes);
                  tx.commit(journal.entries(tx, decided.events));
                  return decided;
                });
        cache.put(turn.told.values(), generation);
        return turn.applied;
      } catch (SyncStore.Overtaken e) {
        if (attempt == OVERTAKEN_MAX) {
          throw new StoreUnavailable("other writers were first, again and again");
        }
      }
    }
  }

  /** What one transaction does. */
  private record Turn(
      List<Applied> applied, List<NewEvent> events, Map<String, SyncJson.Text> told) {}

  private Turn decide(Tx tx, List<Wish> wishes) {
    Collection<String> ids = new TreeSet<>(wishes.stream().map(Wish::meetingId).toList());
    SyncStore.Locked locked = SyncStore.lock(tx, ids);
    Map<String, SyncLifecycle.State> states = new HashMap<>(locked.states());
    Map<String, SyncLifecycle.State> written = new TreeMap<>();
    Map<String, SyncJson.Text> told = new TreeMap<>();
    List<Applied> applied = new ArrayList<>();
    List<NewEvent> events = new ArrayList<>();
    Set<String> before = appliedBefore(tx, wishes);
    for (Wish wish : wishes) {
      SyncLifecycle.State state = Objects.requireNonNull(states.get(wish.meetingId));
      SyncRecord was = state.record();
      Step<SyncLifecycle.State> step =
          before.contains(wish.id)
              ? new Step.Stay<>("applied before")
              : lifecycle.next(state, new SyncLifecycle.Event(wish.update, locked.at()));
      switch (step) {
        case Step.Move<SyncLifecycle.State>(SyncLifecycle.State to, String _) -> {
          SyncJson.Text text = SyncJson.write(to.record());
          var _ = states.put(wish.meetingId, to);
          var _ = written.put(wish.meetingId, to);
          var _ = told.put(wish.meetingId, text);
          events.add(SyncChange.event(text, was.status(), wish.update, wish.id));
          applied.add(new Applied.Moved(to.record(), was.status()));
          if (wish.update instanceof SyncUpdate.Retry) {
            hooks.forEach(hook -> hook.retried(tx, to.record()));
          }
        }
        case Step.Stay<SyncLifecycle.State>(String why) ->
            applied.add(new Applied.Unchanged(was, why));
        case Step.Refuse<SyncLifecycle.State>(String why) ->
            applied.add(new Applied.Refused(was, why));
      }
      // Also what has not moved: the cache must not answer the same caller with something older.
      var _ = told.computeIfAbsent(wish.meetingId, _ -> SyncJson.write(was));
    }
    if (!written.isEmpty()) {
      Map<String, Long> basedOn = new HashMap<>();
      locked.states().forEach((id, state) -> basedOn.put(id, state.record().version()));
      SyncStore.upsert(tx, basedOn, written.values());
    }
    return new Turn(applied, events, told);
  }

  /** Which of those that were sent before were committed all the same; asked under their locks. */
  private static Set<String> appliedBefore(Tx tx, List<Wish> wishes) {
    List<Wish> again = wishes.stream().filter(Wish::again).toList();
    return again.isEmpty()
        ? Set.of()
        : SyncStore.known(
            tx,
            again.stream().map(Wish::meetingId).toList(),
            again.stream().map(Wish::id).toList());
  }
}
