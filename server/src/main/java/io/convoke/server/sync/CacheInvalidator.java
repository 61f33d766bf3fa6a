package io.convoke.server.sync;

import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.JournalEvent;
import io.convoke.engine.journal.JournalSubscription;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Subscribes to the journal on each node and invalidates cached records that an update has
 * outdated. Usually the writer has already stored the update in the cache; this covers writers that
 * died before that or cannot reach Redis.
 */
final class CacheInvalidator implements AutoCloseable {
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofMillis(500);

  private final Journal journal;
  private final SyncCache cache;
  private final SyncMetrics metrics;
  private final InstantSource clock;
  private final Consumer<SyncJournal.SyncJournalHead> onChange;
  private final PeriodicTask task = new PeriodicTask("sync-invalidator", RETRY, this::follow);
  private final TestSignal<SyncJournal.SyncJournalHead> invalidated = new TestSignal<>();
  private volatile Optional<JournalSubscription> tail = Optional.empty();

  /**
   * Nothing runs before {@link #start}.
   *
   * @param onChange called with every update; must not block
   */
  CacheInvalidator(
      Journal journal,
      SyncCache cache,
      SyncMetrics metrics,
      InstantSource clock,
      Consumer<SyncJournal.SyncJournalHead> onChange) {
    this.journal = journal;
    this.cache = cache;
    this.metrics = metrics;
    this.clock = clock;
    this.onChange = onChange;
  }

  void start() {
    task.start();
  }

  /** Emits each version for which the cache is up to date. */
  TestSignal<SyncJournal.SyncJournalHead> invalidated() {
    return invalidated;
  }

  @Override
  public void close() {
    task.close();
    tail.ifPresent(JournalSubscription::close);
  }

  /** After an outage of Postgres the same subscription resumes at its position. */
  private Duration follow() throws InterruptedException {
    try {
      JournalSubscription events = tail.orElse(null);
      if (events == null) {
        events = journal.tail(journal.settled(), changes());
        tail = Optional.of(events);
        // Only after subscribing: updates later than the start of a generation must arrive here.
        cache.start();
      }
      invalidate(events.next(WAIT));
      return Duration.ZERO;
    } catch (StoreUnavailable | SqlFailure unreachable) {
      throw unreachable;
    } catch (RuntimeException | Error failure) {
      cache.outdated();
      throw failure;
    }
  }

  private void invalidate(List<JournalEvent> events) {
    Map<String, SyncJournal.SyncJournalHead> newest = new LinkedHashMap<>();
    for (JournalEvent journalEvent : events) {
      SyncJournal.head(journalEvent.data())
          .ifPresent(
              syncJournalHead -> {
                var _ = newest.put(syncJournalHead.meetingId(), syncJournalHead);
                onChange.accept(syncJournalHead);
              });
    }
    Map<String, Long> versions = new LinkedHashMap<>();
    newest.forEach((id, syncJournalHead) -> versions.put(id, syncJournalHead.version()));
    if (cache.invalidate(versions)) {
      newest.values().forEach(invalidated::emit);
      events.forEach(
          journalEvent ->
              metrics.invalidated(Duration.between(journalEvent.at(), clock.instant())));
    }
  }

  private static EventFilter changes() {
    return new EventFilter(Optional.of(SyncJournal.TYPE), Optional.empty(), Optional.empty());
  }
}
