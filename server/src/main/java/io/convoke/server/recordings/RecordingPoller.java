package io.convoke.server.recordings;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import io.convoke.server.platform.RecordingSource.RecordingPage;
import io.convoke.server.recordings.RecordingStore.KnownRecording;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the platform's recordings, page by page from the newest back to the cursor and an overlap
 * before it, and ingests what the rows do not show. The cursor is a row and moves once everything
 * listed is ingested, so an interrupted listing starts again from the end of the last complete one,
 * however many recordings that are. Recordings that run for long, or that the listing no longer
 * shows, are requested one by one. What runs without a known room or meeting gets both from either.
 */
final class RecordingPoller implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RecordingPoller.class);

  /** A hundred thousand recordings. */
  private static final int PAGES_MAX = 1000;

  private static final int LOOKS_MAX = 20;
  private static final Duration WAIT_MAX = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofSeconds(5);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final RecordingIngest recordingIngest;
  private final RecordingSource source;
  private final RecordingConfig terms;
  private final RecordingMetrics meters;
  private final InstantSource time;

  /** Waits between the pages of a listing. */
  private final Waiter waiter = new Waiter();

  private final TestSignal<Integer> listed = new TestSignal<>();
  private volatile Duration next = Duration.ZERO;
  private final PeriodicTask task = new PeriodicTask("recordings-listing", () -> next, this::round);

  /** The backoff after a failed listing; grows while the platform does not answer. */
  private volatile Duration soon = SOON;

  RecordingPoller(
      RecordingStore store,
      RecordingTransitions transitions,
      RecordingIngest recordingIngest,
      RecordingSource source,
      RecordingConfig terms,
      RecordingMetrics meters,
      InstantSource time) {
    this.store = store;
    this.transitions = transitions;
    this.recordingIngest = recordingIngest;
    this.source = source;
    this.terms = terms;
    this.meters = meters;
    this.time = time;
  }

  /** Lists at once, and then in intervals. */
  void start() {
    task.start();
  }

  /** Emits the number of ingested recordings after each complete listing. */
  TestSignal<Integer> listed() {
    return listed;
  }

  @Override
  public void close() {
    waiter.close();
    task.close();
  }

  private Duration round() throws InterruptedException {
    next = terms.pollInterval();
    var _ = list();
    return next;
  }

  /**
   * Lists once if it is due and no other node does; returns how many recordings were ingested, if
   * that was all of them.
   */
  Optional<Integer> list() throws InterruptedException {
    Instant now = time.instant();
    Optional<Instant> seen =
        store.takeListing(
            source.name(),
            now.minus(terms.firstLook()),
            terms.pollInterval().minus(terms.pollInterval().dividedBy(10)));
    if (seen.isEmpty()) {
      return Optional.empty();
    }
    boolean answered = false;
    try {
      ListingRound listingRound = listTo(seen.get().minus(terms.overlap()));
      answered = listingRound.answered();
      if (answered) {
        followUp();
      }
      if (!listingRound.complete()) {
        return Optional.empty();
      }
      listed.emit(listingRound.ingested());
      return Optional.of(listingRound.ingested());
    } finally {
      if (answered) {
        soon = SOON;
      } else {
        next = soon;
        soon = shorter(soon.multipliedBy(2), terms.pollInterval());
        store.listAgain(source.name());
      }
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * The result of one listing.
   *
   * @param answered whether the platform answered every page
   * @param complete whether all of it is in the rows; recordings locked by another worker are not
   */
  private record ListingRound(int ingested, boolean answered, boolean complete) {}

  private ListingRound listTo(Instant back) throws InterruptedException {
    List<RecordingInfo> found = new ArrayList<>();
    Optional<String> after = Optional.empty();
    Optional<Instant> newest = Optional.empty();
    for (int page = 0; page < PAGES_MAX; page++) {
      Optional<RecordingPage.RecordingsListed> answer = page(after);
      if (answer.isEmpty()) {
        return new ListingRound(0, false, false);
      }
      RecordingPage.RecordingsListed recordingsListed = answer.get();
      if (recordingsListed.unreadable() > 0) {
        log.warn("{} recordings of a listing are unreadable", recordingsListed.unreadable());
      }
      found.addAll(recordingsListed.recordings());
      meters.recordPolled(recordingsListed.recordings().size());
      newest = newest.or(() -> newest(recordingsListed.recordings()));
      boolean reached =
          recordingsListed.recordings().stream()
              .anyMatch(one -> one.startedAt().map(start -> start.isBefore(back)).orElse(false));
      if (reached || recordingsListed.last().isEmpty()) {
        break;
      }
      after = recordingsListed.last();
    }
    ListingRound listingRound = takeAll(found, back);
    if (listingRound.complete()) {
      newest.ifPresent(start -> store.seenUntil(source.name(), start));
    }
    return listingRound;
  }

  private static Optional<Instant> newest(List<RecordingInfo> page) {
    return page.stream().flatMap(one -> one.startedAt().stream()).max(Instant::compareTo);
  }

  /** Ingests recordings that the rows do not show, oldest first. */
  private ListingRound takeAll(List<RecordingInfo> found, Instant back) {
    Map<String, KnownRecording> known = store.known(found.stream().map(RecordingInfo::id).toList());
    Set<String> done = new HashSet<>();
    int taken = 0;
    boolean all = true;
    for (RecordingInfo facts : found.reversed()) {
      boolean old = facts.startedAt().map(start -> start.isBefore(back)).orElse(false);
      if (done.add(facts.id()) && news(facts, known, old)) {
        if (recordingIngest.ingest(facts, RecordingIngest.DiscoverySource.LISTING)
            == RecordingIngest.IngestResult.LATER) {
          all = false;
        } else {
          taken++;
        }
      }
    }
    Set<String> settled = store.settled(found.stream().map(RecordingInfo::id).toList());
    if (!settled.isEmpty()) {
      source.settled(settled);
    }
    return new ListingRound(taken, true, all);
  }

  /**
   * Whether the report tells what the row lacks; unknown recordings from before the first listing
   * are ignored.
   */
  private static boolean news(RecordingInfo facts, Map<String, KnownRecording> known, boolean old) {
    KnownRecording row = known.get(facts.id());
    return row == null ? !old : row.lacks(facts);
  }

  /** One page; waits for the rate limiter, and fails when the platform does not answer. */
  private Optional<RecordingPage.RecordingsListed> page(Optional<String> after)
      throws InterruptedException {
    long deadline = System.nanoTime() + WAIT_MAX.toNanos();
    while (true) {
      switch (source.list(after)) {
        case RecordingPage.RecordingsListed recordingsListed -> {
          return Optional.of(recordingsListed);
        }
        case RecordingPage.RecordingPageUnknown(PlatformError platformError) -> {
          Optional<Duration> wait =
              platformError.retryAfter().filter(it -> it.toNanos() < deadline - System.nanoTime());
          if (wait.isEmpty() || !waiter.await(wait.get())) {
            log.info("the platform does not list its recordings: {}", platformError.cause());
            return Optional.empty();
          }
        }
      }
    }
  }

  /** Requests recordings without recent reports, and gives up those past their deadline. */
  private void followUp() {
    for (RecordingRow row :
        store.withoutReportSince(
            source.name(),
            RecordingStatus.IN_PROGRESS,
            terms.silence(),
            terms.abandonAfter(),
            LOOKS_MAX)) {
      switch (source.lookUp(row.id())) {
        case RecordingLookup.RecordingFound(RecordingInfo facts) -> {
          var _ = recordingIngest.ingest(facts, RecordingIngest.DiscoverySource.LISTING);
          giveUp(row, row.stateEnteredAt(), "it has been running for too long");
        }
        case RecordingLookup.RecordingNotFound _ ->
            giveUp(row, row.toldAt(), "the platform no longer has the recording");
        case RecordingLookup.RecordingLookupUnknown _ -> {}
      }
    }
    for (RecordingRow row :
        store.withoutReportSince(
            source.name(),
            RecordingStatus.UNMATCHED,
            terms.abandonAfter(),
            terms.abandonAfter(),
            LOOKS_MAX)) {
      giveUp(row, row.toldAt(), "no meeting was assigned in time");
    }
  }

  /** The reducer refuses this for a recording that moved on meanwhile. */
  private void giveUp(RecordingRow row, Instant since, String why) {
    Duration waited = Duration.between(since, time.instant());
    if (waited.compareTo(terms.abandonAfter()) >= 0) {
      var _ =
          transitions.apply(
              row.id(), row.run(), new RecordingEvent.RecordingAbandoned(why), "listing");
    }
  }
}
