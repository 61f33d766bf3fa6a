package io.convoke.server.recordings;

import io.convoke.server.platform.RecordingInfo;
import io.convoke.server.platform.RecordingInfo.PlatformRecordingStatus;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.RecordingLookup;
import io.convoke.server.platform.RecordingWebhook;
import io.convoke.server.recordings.RecordingTransitions.RecordingTransitionResult;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
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
  private final LookupCircuitBreaker lookups;

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
      RecordingSource source) {
    this.store = store;
    this.transitions = transitions;
    this.meetingMatchQueries = meetingMatchQueries;
    this.lock = lock;
    this.meters = meters;
    this.platform = source.name();
    this.lookups = new LookupCircuitBreaker(source);
  }

  /** Ingests a webhook. */
  IngestResult ingest(RecordingWebhook news) {
    return switch (news) {
      case RecordingWebhook.RecordingStatusWebhook(RecordingInfo facts) ->
          ingest(withRoom(facts), DiscoverySource.WEBHOOK);
      case RecordingWebhook.RecordingFailedWebhook recordingFailedWebhook ->
          failed(recordingFailedWebhook);
      case RecordingWebhook.UnreadableRecordingWebhook _ -> IngestResult.USELESS;
    };
  }

  /**
   * Daily does not tell the room of a recording that starts: it is the row's, or else the platform
   * is asked. Without an answer a listing tells it later.
   */
  private RecordingInfo withRoom(RecordingInfo facts) {
    if (!facts.room().isEmpty()) {
      return facts;
    }
    Optional<RecordingRow> row = store.find(facts.id());
    String known = row.map(RecordingRow::room).orElse("");
    if (!known.isEmpty() || !waits(row)) {
      return facts.in(known, facts.sessionId());
    }
    return switch (lookups.lookUp(facts.id())) {
      case RecordingLookup.RecordingFound(RecordingInfo found) ->
          facts.in(found.room(), found.sessionId());
      case RecordingLookup.RecordingNotFound _, RecordingLookup.RecordingLookupUnknown _ -> facts;
    };
  }

  /** Ingests the platform's data on one recording. */
  IngestResult ingest(RecordingInfo facts, DiscoverySource discoverySource) {
    return switch (facts.stage()) {
      case RUNNING -> applyReport(facts, discoverySource, new RecordingEvent.RecordingStarted());
      case CANCELLED ->
          applyReport(facts, discoverySource, new RecordingEvent.RecordingCancelled());
      case FINISHED ->
          facts.hasFile()
              ? ready(facts, discoverySource)
              : applyReport(facts, discoverySource, new RecordingEvent.FileEmpty());
    };
  }

  /** Those of these recordings that may belong to a meeting; {@link #ingest} decides. */
  Set<String> withCandidates(List<RecordingInfo> recordings) {
    return meetingMatchQueries.withCandidates(recordings);
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
    return row.map(it -> it.status() == RecordingStatus.IN_PROGRESS || it.state().broken())
        .orElse(true);
  }

  /**
   * Daily names room and instance, which may be those of a recording that is well while another
   * start failed, and the error need not be the end: only what the platform has no more failed.
   */
  private IngestResult failed(RecordingWebhook.RecordingFailedWebhook recordingFailedWebhook) {
    List<RecordingRow> running =
        store.running(platform, recordingFailedWebhook.room(), recordingFailedWebhook.instanceId());
    for (RecordingRow row : running) {
      if (lost(row.id(), recordingFailedWebhook.room())) {
        broken(row, recordingFailedWebhook.message());
      } else {
        log.info(
            "recording {} is waited for after an error of the platform: {}",
            row.id(),
            recordingFailedWebhook.message());
      }
    }
    return running.isEmpty() ? IngestResult.USELESS : IngestResult.KEPT;
  }

  /** Without an answer it may still come: later reports and the deadline decide. */
  private boolean lost(String recordingId, String room) {
    return switch (lookups.lookUp(recordingId)) {
      case RecordingLookup.RecordingFound(RecordingInfo found) ->
          found.stage() == PlatformRecordingStatus.CANCELLED && found.room().equals(room);
      case RecordingLookup.RecordingNotFound _ -> true;
      case RecordingLookup.RecordingLookupUnknown _ -> false;
    };
  }

  private void broken(RecordingRow row, String message) {
    RecordingTransitionResult recordingTransitionResult =
        transitions.apply(
            row.id(),
            row.run(),
            new RecordingEvent.RecordingBroken(message),
            DiscoverySource.WEBHOOK.wireName());
    if (recordingTransitionResult
        instanceof RecordingTransitionResult.RecordingMoved(RecordingRow moved)) {
      meters.found(DiscoverySource.WEBHOOK, moved.status());
    }
  }
}
