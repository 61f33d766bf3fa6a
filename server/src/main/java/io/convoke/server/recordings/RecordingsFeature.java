package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobStore;
import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseRenewer;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.PostgresListener;
import io.convoke.server.crm.CrmConnector;
import io.convoke.server.http.Endpoint;
import io.convoke.server.media.MediaTool;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.summaries.SummaryStore;
import io.convoke.server.transcribe.Transcriber;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Recordings as a whole: its endpoints serve role {@code api}, {@link #register} gives the engine
 * the work of role {@code durable}, {@link #start} adds that of role {@code recordings}.
 */
public final class RecordingsFeature implements AutoCloseable {
  private static final List<RecordingStatus> SYNCING =
      List.of(RecordingStatus.READY, RecordingStatus.PROCESSING);

  /** How often a folder is looked at, which costs the platform nothing. */
  private static final Duration FOLDER_INTERVAL = Duration.ofSeconds(30);

  private static final Duration DOWNLOAD_SILENCE_MAX = Duration.ofSeconds(60);

  private final Redis redis;
  private final RecordingTransitions transitions;
  private final RecordingStore store;
  private final RecordingWorkflow workflow;
  private final RecordingStreamConsumer streamConsumer;
  private final RecordingPoller recordingPoller;
  private final RecordingRetention recordingRetention;
  private final RecordingUploads uploads;
  private final RecordingEndpoints endpoints;
  private final DownloadRequest downloadRequest;
  private final Optional<CrmConnector> crm;
  private final BlobStore blobs;
  private final List<RecordingPlatform> platforms;
  private final Optional<RecordingPoller> folderPoller;
  private volatile TranscribeStep.TranscriptCompletion completion = (tx, meetingId) -> {};
  private volatile BiConsumer<Tx, Long> nothing = (tx, meetingId) -> {};
  private boolean started;

  /**
   * The dependencies of the work on recordings.
   *
   * @param mediaTool converts what the platform gave to what transcribers take
   * @param trackBucket where tracks of recordings are; empty: such a recording fails
   * @param transcriber empty: a recording ends without a transcript
   * @param crm empty: it ends without a sync
   * @param folder a platform that leaves its recordings in a folder
   */
  public record RecordingDependencies(
      BlobStore blobs,
      MediaTool mediaTool,
      Optional<TrackBucket> trackBucket,
      Optional<Transcriber> transcriber,
      Optional<CrmConnector> crm,
      Optional<RecordingPlatform> folder) {}

  /**
   * Wires recordings; nothing runs before {@link #start}.
   *
   * @param inbox the source under which the inbox holds webhooks about recordings
   * @param sync receives the progress of the sync
   */
  public RecordingsFeature(
      Redis redis,
      Database database,
      Journal journal,
      LeaseRenewer leases,
      RecordingSource source,
      RecordingDependencies recordingDependencies,
      SyncStepListener sync,
      RecordingConfig terms,
      String inbox,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    this.blobs = recordingDependencies.blobs();
    this.crm = recordingDependencies.crm();
    this.platforms =
        Stream.concat(
                Stream.of(
                    new RecordingPlatform(
                        source,
                        recordingDependencies.trackBucket(),
                        RecordingPlatform.setting(source.name()))),
                recordingDependencies.folder().stream())
            .toList();
    this.store = new RecordingStore(database);
    this.transitions =
        new RecordingTransitions(
            database, journal, (tx, meetingId) -> nothing.accept(tx, meetingId));
    RecordingMetrics meters = new RecordingMetrics(registry);
    RecordingLock lock = new RecordingLock(redis, leases);
    RecordingIngest recordingIngest =
        new RecordingIngest(
            store,
            transitions,
            new MeetingMatchQueries(database, source, time),
            lock,
            meters,
            source);
    this.streamConsumer =
        new RecordingStreamConsumer(
            redis,
            recordingIngest,
            source,
            store,
            new RecordingInbox(database, inbox),
            meters,
            node);
    this.recordingPoller =
        new RecordingPoller(store, transitions, recordingIngest, source, terms, meters, time);
    this.folderPoller =
        recordingDependencies
            .folder()
            .map(RecordingPlatform::source)
            .map(
                its ->
                    new RecordingPoller(
                        store,
                        transitions,
                        new RecordingIngest(
                            store,
                            transitions,
                            new MeetingMatchQueries(database, its, time),
                            lock,
                            meters,
                            its),
                        its,
                        terms.every(FOLDER_INTERVAL),
                        meters,
                        time));
    RecordingParts parts = new RecordingParts(database, blobs);
    this.uploads = new RecordingUploads(database, blobs, transitions, parts);
    this.downloadRequest = new DownloadRequest(DOWNLOAD_SILENCE_MAX);
    MeetingTranscriptStore meetingTranscriptStore = new MeetingTranscriptStore(journal);
    MeetingSyncReporter meetingSyncReporter =
        new MeetingSyncReporter(
            sync, (tx, meetingId) -> nothing.accept(tx, meetingId), crm.isPresent());
    StepStore ledger = new StepStore(database, transitions, meetingSyncReporter, time);
    this.workflow =
        new RecordingWorkflow(
            new StepRunner(
                lock,
                ledger,
                transitions,
                List.of(
                    new DownloadStep(platforms, blobs, ledger, downloadRequest, database, parts),
                    new TranscribeStep(
                        database,
                        blobs,
                        recordingDependencies.mediaTool(),
                        recordingDependencies.transcriber(),
                        meetingTranscriptStore,
                        ledger,
                        (tx, meetingId) -> completion.transcribed(tx, meetingId)),
                    new PrepareStep(database, crm),
                    new TransformStep(database, crm),
                    new PushStep(database, crm)),
                new BlobsToDelete(database, blobs),
                meters),
            terms);
    this.recordingRetention =
        new RecordingRetention(
            database, journal, meetingTranscriptStore, blobs, meetingSyncReporter, terms, time);
    this.endpoints =
        new RecordingEndpoints(store, transitions, recordingRetention, blobs, database, terms);
  }

  public List<Endpoint> endpoints() {
    return Stream.concat(endpoints.endpoints().stream(), Stream.of(uploads.endpoint())).toList();
  }

  /** Calls this in the transaction that stores the complete transcript of a recording. */
  public void onTranscribed(BiConsumer<Tx, Long> listener) {
    completion = listener::accept;
  }

  /**
   * Calls this in the transaction in which a recording of a meeting comes to nothing: it is empty,
   * discarded, given up, deleted before its note was sent, or the platform could not make it.
   */
  public void onNothing(BiConsumer<Tx, Long> listener) {
    nothing = listener;
  }

  /** Adds the work on a recording to an engine. */
  public void register(Durable.Builder builder) {
    workflow.register(builder);
  }

  /** The callback for notifications on the inbox's channel. */
  public PostgresListener.NotificationReceiver inboxReceiver() {
    return new PostgresListener.NotificationReceiver() {
      @Override
      public void notified(String payload) {
        looked();
      }

      @Override
      public void rescan() {
        looked();
      }
    };
  }

  /**
   * Starts the webhook consumer, the poller and retention.
   *
   * @param account whether there is an account to list
   */
  public void start(boolean account) {
    started = true;
    redis.onConnect(streamConsumer::inboxDue);
    streamConsumer.start();
    if (account) {
      recordingPoller.start();
    }
    folderPoller.ifPresent(RecordingPoller::start);
    recordingRetention.start();
    uploads.start();
  }

  /**
   * Retries the recordings of a meeting of which a run failed, from where they stopped, in the
   * caller's transaction; returns their number.
   */
  public int retrySync(Tx tx, long meetingId, String actor) {
    int again = 0;
    for (String failed : RecordingStore.failedSyncs(tx, meetingId)) {
      var recordingTransitionResult = transitions.retry(tx, failed, Optional.empty(), actor);
      again +=
          recordingTransitionResult
                  instanceof RecordingTransitions.RecordingTransitionResult.RecordingMoved
              ? 1
              : 0;
    }
    return again;
  }

  /**
   * Whether a recording of the meeting is synced, or will be; a failed one may be retried. No
   * recording of it comes to nothing between this answer and the end of the transaction.
   */
  public boolean syncs(Tx tx, long meetingId) {
    if (crm.isEmpty()) {
      return false;
    }
    MeetingSyncReporter.lock(tx, meetingId);
    return RecordingStore.syncs(tx, meetingId);
  }

  /**
   * The same without a lock, for one that holds the row of the meeting's sync status: who has the
   * lock may wait for that row. A recording may come to nothing meanwhile.
   */
  public boolean maySync(Tx tx, long meetingId) {
    return crm.isPresent() && RecordingStore.syncs(tx, meetingId);
  }

  /** Whether a workflow is on its way with a recording of the meeting. */
  public boolean syncing(Tx tx, long meetingId) {
    return crm.isPresent() && RecordingStore.some(tx, meetingId, SYNCING);
  }

  /**
   * Sends the notes of a meeting's recordings again that were sent without its present summary;
   * false while a workflow is on its way with one of them. The note of a failed recording gets the
   * summary when a user retries it.
   */
  public boolean sendAgain(Tx tx, long meetingId) {
    if (crm.isEmpty()) {
      return true;
    }
    // A retry that is not committed may have found the former summary.
    RecordingStore.lock(tx, meetingId);
    if (RecordingStore.some(tx, meetingId, SYNCING)) {
      return false;
    }
    Optional<String> summary = SummaryStore.plainText(tx, meetingId);
    for (String id : RecordingStore.sentWithout(tx, meetingId, summary)) {
      var _ = transitions.retry(tx, id, Optional.of(StepName.PREPARE), "workflow");
    }
    return true;
  }

  RecordingTransitions transitions() {
    return transitions;
  }

  RecordingStreamConsumer streamConsumer() {
    return streamConsumer;
  }

  RecordingPoller listing() {
    return recordingPoller;
  }

  RecordingPoller folderListing() {
    return folderPoller.orElseThrow();
  }

  RecordingUploads uploads() {
    return uploads;
  }

  RecordingRetention keeping() {
    return recordingRetention;
  }

  @Override
  public void close() {
    if (started) {
      started = false;
      recordingPoller.close();
      folderPoller.ifPresent(RecordingPoller::close);
      recordingRetention.close();
      uploads.close();
      streamConsumer.close();
    }
    downloadRequest.close();
    crm.ifPresent(CrmConnector::close);
    platforms.forEach(platform -> platform.tracks().ifPresent(TrackBucket::close));
    blobs.close();
  }

  private void looked() {
    if (started) {
      streamConsumer.inboxDue();
    }
  }
}
