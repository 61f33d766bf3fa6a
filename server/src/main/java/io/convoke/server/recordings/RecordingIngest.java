package io.convoke.server.recordings;

import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingWebhook;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies what a platform reports about a recording, from a webhook or a listing. For a recording
 * with a file it takes the lock, checks the row, matches the meeting, and starts the workflow in
 * the transaction of the transition (recordings-1 to recordings-3).
 */
final class RecordingIngest {
  private static final Logger log = LoggerFactory.getLogger(RecordingIngest.class);

  private final RecordingStore store;
  private final RecordingTransitions transitions;
  private final MeetingMatchQueries meetingMatchQueries;
  private final RecordingLock lock;
  private final RecordingMetrics meters;
  private final String platform;

  /** How a recording was discovered. */
  enum DiscoverySource {
    WEBHOOK,
    LISTING;

    String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The result of ingesting a report. */
  enum IngestResult {
    /** The report is in the rows. */
    KEPT,
    /**
     * Another worker holds the recording's lock and the row does not show the report yet: retry.
     */
    LATER,
    /** The report is not usable. */
    USELESS
  }

  RecordingIngest(
      RecordingStore store,
      RecordingTransitions transitions,
      MeetingMatchQueries meetingMatchQueries,
      RecordingLock lock,
      RecordingMetrics meters,
      String platform) {
    this.store = store;
    this.transitions = transitions;
    this.meetingMatchQueries = meetingMatchQueries;
    this.lock = lock;
    this.meters = meters;
    this.platform = platform;
  }

  /** Ingests a webhook. */
  IngestResult ingest(RecordingWebhook news) {
    return switch (news) {
      case RecordingWebhook.RecordingStatusWebhook(RecordingInfo facts) ->
          ingest(facts, DiscoverySource.WEBHOOK);
      case RecordingWebhook.RecordingFailedWebhook recordingFailedWebhook ->
          failed(recordingFailedWebhook);
      case RecordingWebhook.UnreadableRecordingWebhook _ -> IngestResult.USELESS;
    };
  }

  /** Ingests the platform's data on one recording. */
  IngestResult ingest(RecordingInfo facts, DiscoverySource discoverySource) {
    return switch (facts.stage()) {
      case RUNNING -> applyReport(facts, discoverySource, new RecordingEvent.RecordingStarted());
      case CANCELLED ->
          applyReport(facts, discoverySource, new RecordingEvent.RecordingCancelled());
      case FINISHED -> {
        boolean empty = facts.duration().map(length -> length.toSeconds() == 0).orElse(false);
        yield empty
            ? applyReport(facts, discoverySource, new RecordingEvent.FileEmpty())
            : ready(facts, discoverySource);
      }
    };
  }

  private IngestResult ready(RecordingInfo facts, DiscoverySource discoverySource) {
    return switch (lock.acquire(facts.id(), RecordingRow.workflow(facts.id(), 1))) {
      case RecordingLock.RecordingLockResult.LockedByOther _ -> {
        RecordingLock.refused(facts.id(), "a " + discoverySource.wireName());
        meters.recordLockRefused();
        yield waits(store.find(facts.id())) ? IngestResult.LATER : IngestResult.KEPT;
      }
      case RecordingLock.RecordingLockResult.LockServiceUnavailable _ ->
          begin(facts, discoverySource);
      case RecordingLock.RecordingLockResult.RecordingLockHeld(var lease) -> {
        try (lease) {
          yield begin(facts, discoverySource);
        }
      }
    };
  }

  /** After the lock: the row shows whether there is work to begin. */
  private IngestResult begin(RecordingInfo facts, DiscoverySource discoverySource) {
    Optional<RecordingRow> row = store.find(facts.id());
    if (!waits(row)) {
      return IngestResult.KEPT;
    }
    MeetingAssignment meetingAssignment = place(row, facts);
    boolean placed = meetingAssignment.owned().isPresent();
    return applyReport(
        facts, discoverySource, new RecordingEvent.FileReady(placed), meetingAssignment);
  }

  private IngestResult applyReport(
      RecordingInfo facts, DiscoverySource discoverySource, RecordingEvent event) {
    return applyReport(facts, discoverySource, event, place(store.find(facts.id()), facts));
  }

  private IngestResult applyReport(
      RecordingInfo facts,
      DiscoverySource discoverySource,
      RecordingEvent event,
      MeetingAssignment meetingAssignment) {
    RecordingTransitionResult recordingTransitionResult =
        transitions.reported(platform, facts, meetingAssignment, event, discoverySource.wireName());
    if (recordingTransitionResult
        instanceof RecordingTransitionResult.RecordingMoved(RecordingRow row)) {
      meters.found(discoverySource, row.status());
      log.info(
          "recording {} is {}, reported by {}",
          row.id(),
          row.status().wireName(),
          discoverySource.wireName());
    }
    return IngestResult.KEPT;
  }

  /** A matched meeting stays; calls to the platform happen outside of transactions. */
  private MeetingAssignment place(Optional<RecordingRow> row, RecordingInfo facts) {
    Optional<MeetingAssignment.OwnedMeeting> known =
        row.flatMap(
            it ->
                it.meetingId()
                    .flatMap(
                        meeting ->
                            it.userId()
                                .map(user -> new MeetingAssignment.OwnedMeeting(meeting, user))));
    return known
        .map(ownedMeeting -> MeetingAssignment.in(ownedMeeting.meetingId(), ownedMeeting.userId()))
        .orElseGet(() -> meetingMatchQueries.place(facts));
  }

  /** Whether the row still waits for the report that the file is ready. */
  private static boolean waits(Optional<RecordingRow> row) {
    return row.map(it -> it.status() == RecordingStatus.IN_PROGRESS).orElse(true);
  }

  /** Daily names room and instance; an ambiguous one is left to the listing and the deadline. */
  private IngestResult failed(RecordingWebhook.RecordingFailedWebhook recordingFailedWebhook) {
    Optional<RecordingRow> row =
        store.running(platform, recordingFailedWebhook.room(), recordingFailedWebhook.instanceId());
    if (row.isEmpty()) {
      return IngestResult.USELESS;
    }
    RecordingTransitionResult recordingTransitionResult =
        transitions.apply(
            row.get().id(),
            row.get().run(),
            new RecordingEvent.RecordingBroken(recordingFailedWebhook.message()),
            DiscoverySource.WEBHOOK.wireName());
    if (recordingTransitionResult
        instanceof RecordingTransitionResult.RecordingMoved(RecordingRow moved)) {
      meters.found(DiscoverySource.WEBHOOK, moved.status());
    }
    return IngestResult.KEPT;
  }
}
