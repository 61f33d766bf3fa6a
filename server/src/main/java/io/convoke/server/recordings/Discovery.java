package io.convoke.server.recordings;

import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingNews;
import io.convoke.server.recordings.RecordingTransitions.Applied;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies what a platform reports about a recording, from a webhook or a listing. For a recording
 * with a file it takes the lock, checks the row, matches the meeting, and starts the workflow in
 * the transaction of the transition (recordings-1 to recordings-3).
 */
final class Discovery {
  private static final Logger log = LoggerFactory.getLogger(Discovery.class);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final Matching matching;
  private final RecordingLock lock;
  private final RecordingMeters meters;
  private final String platform;

  /** Which way something was found. */
  enum Way {
    WEBHOOK,
    LISTING;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What became of a piece of news. */
  enum Taken {
    /** It is in the rows. */
    KEPT,
    /**
     * Another worker holds the recording's lock and the row does not show the report yet: retry.
     */
    LATER,
    /** The report is not usable. */
    USELESS
  }

  Discovery(
      RecordingStore store,
      RecordingTransitions transitions,
      Matching matching,
      RecordingLock lock,
      RecordingMeters meters,
      String platform) {
    this.store = store;
    this.transitions = transitions;
    this.matching = matching;
    this.lock = lock;
    this.meters = meters;
    this.platform = platform;
  }

  /** Takes a webhook's news. */
  Taken take(RecordingNews news) {
    return switch (news) {
      case RecordingNews.Told(RecordingFacts facts) -> take(facts, Way.WEBHOOK);
      case RecordingNews.Failed failed -> failed(failed);
      case RecordingNews.Unreadable _ -> Taken.USELESS;
    };
  }

  /** Takes the facts of one recording. */
  Taken take(RecordingFacts facts, Way way) {
    return switch (facts.stage()) {
      case RUNNING -> told(facts, way, new RecordingEvent.Started());
      case CANCELLED -> told(facts, way, new RecordingEvent.Cancelled());
      case FINISHED -> {
        boolean empty = facts.duration().map(length -> length.toSeconds() == 0).orElse(false);
        yield empty ? told(facts, way, new RecordingEvent.Emptied()) : ready(facts, way);
      }
    };
  }

  private Taken ready(RecordingFacts facts, Way way) {
    return switch (lock.take(facts.id(), RecordingRow.workflow(facts.id(), 1))) {
      case RecordingLock.Taken.Denied _ -> {
        RecordingLock.denied(facts.id(), "a " + way.word());
        meters.denied();
        yield waits(store.find(facts.id())) ? Taken.LATER : Taken.KEPT;
      }
      case RecordingLock.Taken.Unlocked _ -> begin(facts, way);
      case RecordingLock.Taken.Held(var lease) -> {
        try (lease) {
          yield begin(facts, way);
        }
      }
    };
  }

  /** After the lock: the row shows whether there is work to begin. */
  private Taken begin(RecordingFacts facts, Way way) {
    Optional<RecordingRow> row = store.find(facts.id());
    if (!waits(row)) {
      return Taken.KEPT;
    }
    Placement placement = place(row, facts);
    boolean placed = placement.owned().isPresent();
    return told(facts, way, new RecordingEvent.Ready(placed), placement);
  }

  private Taken told(RecordingFacts facts, Way way, RecordingEvent event) {
    return told(facts, way, event, place(store.find(facts.id()), facts));
  }

  private Taken told(RecordingFacts facts, Way way, RecordingEvent event, Placement placement) {
    Applied applied = transitions.told(facts, placement, event, way.word());
    if (applied instanceof Applied.Moved(RecordingRow row)) {
      meters.found(way, row.status());
      log.info("recording {} is {}, reported by {}", row.id(), row.status().word(), way.word());
    }
    return Taken.KEPT;
  }

  /** A matched meeting stays; calls to the platform happen outside of transactions. */
  private Placement place(Optional<RecordingRow> row, RecordingFacts facts) {
    Optional<Placement.Owned> known =
        row.flatMap(
            it ->
                it.meetingId()
                    .flatMap(
                        meeting -> it.userId().map(user -> new Placement.Owned(meeting, user))));
    return known
        .map(owned -> Placement.in(owned.meetingId(), owned.userId()))
        .orElseGet(() -> matching.place(facts));
  }

  /** Whether the row still waits for the report that the file is ready. */
  private static boolean waits(Optional<RecordingRow> row) {
    return row.map(it -> it.status() == RecordingStatus.IN_PROGRESS).orElse(true);
  }

  /** Daily names room and instance; a doubt is left to the listing and to time. */
  private Taken failed(RecordingNews.Failed failed) {
    Optional<RecordingRow> row = store.running(platform, failed.room(), failed.instanceId());
    if (row.isEmpty()) {
      return Taken.USELESS;
    }
    Applied applied =
        transitions.apply(
            row.get().id(),
            row.get().run(),
            new RecordingEvent.Broken(failed.words()),
            Way.WEBHOOK.word());
    if (applied instanceof Applied.Moved(RecordingRow moved)) {
      meters.found(Way.WEBHOOK, moved.status());
    }
    return Taken.KEPT;
  }
}
