package io.convoke.server.recordings;

import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.Waiter;
import io.convoke.server.loop.PeriodicTask;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.PlatformError.PlatformErrorKind;
import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
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
 * however many recordings that are. Recordings that the listing no longer shows, or that run for
 * days, are requested one by one. What runs without a known room or meeting gets both from either.
 */
final class RecordingPoller implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RecordingPoller.class);

  /** A hundred thousand recordings. */
  private static final int PAGES_MAX = 1000;

  private static final int LOOKS_MAX = 20;

  /**
   * A recording that the platform no longer has is lost when it told nothing of it for so long. Not
   * at once: a key or a folder that is wrong for a while hides all recordings.
   */
  private static final Duration LOST_AFTER = Duration.ofHours(6);

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
    List<RecordingInfo> news = new ArrayList<>();
    for (RecordingInfo facts : found.reversed()) {
      boolean old = facts.startedAt().map(start -> start.isBefore(back)).orElse(false);
      if (done.add(facts.id()) && news(facts, known, old)) {
        news.add(facts);
      }
    }
    store.told(
        found.stream()
            .filter(facts -> facts.stage() == PlatformRecordingStatus.RUNNING)
            .map(RecordingInfo::id)
            .toList());
    Set<String> repeated = repeated(news, known);
    int taken = repeated.size();
    boolean all = true;
    for (RecordingInfo facts : news) {
      if (!repeated.contains(facts.id())) {
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

  /** Those that still run in a known room without a meeting: the report changes nothing. */
  private Set<String> repeated(List<RecordingInfo> news, Map<String, KnownRecording> known) {
    List<RecordingInfo> running =
        news.stream()
            .filter(facts -> facts.stage() == PlatformRecordingStatus.RUNNING)
            .filter(
                facts ->
                    Optional.ofNullable(known.get(facts.id()))
                        .map(KnownRecording::inRoom)
                        .orElse(false))
            .toList();
    Set<String> repeated = new HashSet<>(running.stream().map(RecordingInfo::id).toList());
    boolean _ = repeated.removeAll(recordingIngest.withCandidates(running));
    return repeated;
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
        case RecordingLookup.RecordingNotFound _ -> lose(row);
        case RecordingLookup.RecordingLookupUnknown(PlatformError platformError) -> {
          if (isAnswer(platformError.cause())) {
            giveUp(row, row.toldAt(), "the platform does not tell what became of the recording");
          }
        }
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

  /** Whether another call may well end alike: the platform is there, and has time for it. */
  private static boolean isAnswer(PlatformErrorKind platformErrorKind) {
    return switch (platformErrorKind) {
      case TIMEOUT, UNREACHABLE, RATE_LIMITED -> false;
      case NOT_FOUND, REFUSED, SERVER_ERROR, MALFORMED -> true;
    };
  }

  /** Its error may have come while the platform did not answer. A later file is processed. */
  private void lose(RecordingRow row) {
    if (isPast(row.toldAt(), LOST_AFTER)) {
      end(row, new RecordingEvent.RecordingBroken("the platform no longer has the recording"));
    }
  }

  private void giveUp(RecordingRow row, Instant since, String why) {
    if (isPast(since, terms.abandonAfter())) {
      end(row, new RecordingEvent.RecordingAbandoned(why));
    }
  }

  private boolean isPast(Instant since, Duration longest) {
    return Duration.between(since, time.instant()).compareTo(longest) >= 0;
  }

  /** The reducer refuses this for a recording that moved on meanwhile. */
  private void end(RecordingRow row, RecordingEvent event) {
    var _ = transitions.apply(row.id(), row.run(), event, "listing");
  }
}
