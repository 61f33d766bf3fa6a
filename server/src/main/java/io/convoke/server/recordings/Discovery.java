package io.convoke.server.recordings;

import io.convoke.server.platform.RecordingFacts;
import io.convoke.server.platform.RecordingNews;
import io.convoke.server.recordings.RecordingTransitions.Applied;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what a platform tells into a recording of ours, whichever way it came. For a recording that
 * can be fetched it takes the lock, looks at the row, finds out whose it is, and starts the
 * workflow with the row's move (seed 000, scenarios 1 to 3).
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
    /** Somebody else has the recording, and our rows do not show what the news say: ask again. */
    LATER,
    /** Nobody can use it. */
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

  /** With the lock free: the row says whether there is anything to begin. */
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
      log.info("recording {} is {}, told by {}", row.id(), row.status().word(), way.word());
    }
    return Taken.KEPT;
  }

  /** A meeting that is known stays; the platform is asked outside of every transaction. */
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

  /** Whether the row still waits to be told that the recording can be fetched. */
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
