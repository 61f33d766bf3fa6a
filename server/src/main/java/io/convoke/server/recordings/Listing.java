package io.convoke.server.recordings;

import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.convoke.server.platform.Outage;
import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.Look;
import io.convoke.server.platform.RecordingSource.Page;
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
 * Asks the platform for its recordings, page by page from the newest back to the cursor and an
 * overlap before it, and takes what our rows do not show. The cursor is a row and moves once
 * everything that was listed is taken, so a listing that is cut short is done again from where the
 * last whole one ended, however many recordings that are. What runs for long, or fell out of the
 * listing, is asked for one by one.
 */
final class Listing implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Listing.class);

  /** A hundred thousand recordings. */
  private static final int PAGES_MAX = 1000;

  private static final int LOOKS_MAX = 20;
  private static final Duration WAIT_MAX = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofSeconds(5);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final Discovery discovery;
  private final RecordingSource source;
  private final RecordingTerms terms;
  private final RecordingMeters meters;
  private final InstantSource time;
  private final Pause pause = new Pause();
  private final Signal<Integer> listed = new Signal<>();
  private volatile Duration next = Duration.ZERO;

  /** When the platform is asked again that did not answer; grows while it does not. */
  private volatile Duration soon = SOON;

  Listing(
      RecordingStore store,
      RecordingTransitions transitions,
      Discovery discovery,
      RecordingSource source,
      RecordingTerms terms,
      RecordingMeters meters,
      InstantSource time) {
    this.store = store;
    this.transitions = transitions;
    this.discovery = discovery;
    this.source = source;
    this.terms = terms;
    this.meters = meters;
    this.time = time;
  }

  /** Lists at once, and then in intervals. */
  void start() {
    var _ = Thread.ofVirtual().name("recordings-listing").start(this::run);
  }

  /** How many recordings each whole listing has taken. */
  Signal<Integer> listed() {
    return listed;
  }

  @Override
  public void close() {
    pause.close();
  }

  private void run() {
    try {
      do {
        next = terms.pollInterval();
        try {
          var _ = list();
        } catch (StoreUnavailable | SqlFailure | RedisUnavailable away) {
          log.info("the listing of recordings waits for a store: {}", away.getMessage());
        } catch (RuntimeException | Error bug) {
          log.error("the listing of recordings failed, it goes on", bug);
        }
      } while (pause.await(next));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Lists once if it is due and nobody else does; answers how many recordings were taken, if that
   * was all there was to take.
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
    boolean told = false;
    try {
      Round round = listTo(seen.get().minus(terms.overlap()));
      told = round.told();
      if (told) {
        followUp();
      }
      if (!round.whole()) {
        return Optional.empty();
      }
      listed.emit(round.taken());
      return Optional.of(round.taken());
    } finally {
      if (told) {
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
   * What one listing came to.
   *
   * @param told whether the platform told everything
   * @param whole whether all of it is in the rows; what somebody else holds is not
   */
  private record Round(int taken, boolean told, boolean whole) {}

  private Round listTo(Instant back) throws InterruptedException {
    List<RecordingFacts> found = new ArrayList<>();
    Optional<String> after = Optional.empty();
    Optional<Instant> newest = Optional.empty();
    for (int page = 0; page < PAGES_MAX; page++) {
      Optional<Page.Listed> answer = page(after);
      if (answer.isEmpty()) {
        return new Round(0, false, false);
      }
      Page.Listed listed = answer.get();
      if (listed.unreadable() > 0) {
        log.warn("{} recordings of a listing cannot be understood", listed.unreadable());
      }
      found.addAll(listed.recordings());
      meters.listed(listed.recordings().size());
      newest = newest.or(() -> newest(listed.recordings()));
      boolean reached =
          listed.recordings().stream()
              .anyMatch(one -> one.startedAt().map(start -> start.isBefore(back)).orElse(false));
      if (reached || listed.last().isEmpty()) {
        break;
      }
      after = listed.last();
    }
    Round round = takeAll(found, back);
    if (round.whole()) {
      newest.ifPresent(start -> store.seenUntil(source.name(), start));
    }
    return round;
  }

  private static Optional<Instant> newest(List<RecordingFacts> page) {
    return page.stream().flatMap(one -> one.startedAt().stream()).max(Instant::compareTo);
  }

  /** Takes what our rows do not show, the oldest first. */
  private Round takeAll(List<RecordingFacts> found, Instant back) {
    Map<String, RecordingStatus> known =
        store.known(found.stream().map(RecordingFacts::id).toList());
    Set<String> done = new HashSet<>();
    int taken = 0;
    boolean all = true;
    for (RecordingFacts facts : found.reversed()) {
      boolean old = facts.startedAt().map(start -> start.isBefore(back)).orElse(false);
      if (done.add(facts.id()) && news(facts, known, old)) {
        if (discovery.take(facts, Discovery.Way.LISTING) == Discovery.Taken.LATER) {
          all = false;
        } else {
          taken++;
        }
      }
    }
    return new Round(taken, true, all);
  }

  /** Whether a recording says more than its row; what is old and unknown was before our time. */
  private static boolean news(
      RecordingFacts facts, Map<String, RecordingStatus> known, boolean old) {
    RecordingStatus status = known.get(facts.id());
    if (status == null) {
      return !old;
    }
    return status == RecordingStatus.IN_PROGRESS && facts.stage() != RecordingFacts.Stage.RUNNING;
  }

  /** A page; waits for the budget, and gives up when the platform does not answer. */
  private Optional<Page.Listed> page(Optional<String> after) throws InterruptedException {
    long deadline = System.nanoTime() + WAIT_MAX.toNanos();
    while (true) {
      switch (source.list(after)) {
        case Page.Listed listed -> {
          return Optional.of(listed);
        }
        case Page.Unknown(Outage outage) -> {
          Optional<Duration> wait =
              outage.retryAfter().filter(it -> it.toNanos() < deadline - System.nanoTime());
          if (wait.isEmpty() || !pause.await(wait.get())) {
            log.info("the platform does not list its recordings: {}", outage.cause());
            return Optional.empty();
          }
        }
      }
    }
  }

  /** Asks about what nothing was heard of, and gives up what will not come. */
  private void followUp() {
    for (RecordingRow row : store.silent(RecordingStatus.IN_PROGRESS, terms.silence(), LOOKS_MAX)) {
      switch (source.look(row.id())) {
        case Look.Found(RecordingFacts facts) -> {
          var _ = discovery.take(facts, Discovery.Way.LISTING);
          giveUp(row, row.stateEnteredAt(), "it has been running for too long");
        }
        case Look.Missing _ -> giveUp(row, row.toldAt(), "the platform does not know it any more");
        case Look.Unknown _ -> {}
      }
    }
    for (RecordingRow row : store.silent(RecordingStatus.UNMATCHED, terms.giveUp(), LOOKS_MAX)) {
      giveUp(row, row.toldAt(), "nobody said which meeting it belongs to");
    }
  }

  /** What came to something meanwhile is beyond giving up: the reducer says so. */
  private void giveUp(RecordingRow row, Instant since, String why) {
    Duration waited = Duration.between(since, time.instant());
    if (waited.compareTo(terms.giveUp()) >= 0) {
      var _ = transitions.apply(row.id(), row.run(), new RecordingEvent.GivenUp(why), "listing");
    }
  }
}
