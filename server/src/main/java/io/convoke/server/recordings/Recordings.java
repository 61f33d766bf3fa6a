package io.convoke.server.recordings;

import io.convoke.engine.durable.Durable;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.lease.LeaseKeeper;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.Listener;
import io.convoke.server.blobs.BlobStore;
import io.convoke.server.crm.Crm;
import io.convoke.server.http.Endpoint;
import io.convoke.server.meetings.Transcripts;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.transcribe.Transcriber;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Recordings as a whole: its endpoints serve role {@code api}, {@link #register} gives the engine
 * the work of role {@code durable}, {@link #start} adds that of role {@code recordings}.
 */
public final class Recordings implements AutoCloseable {
  private static final Duration DOWNLOAD_SILENCE_MAX = Duration.ofSeconds(60);

  private final Redis redis;
  private final RecordingTransitions transitions;
  private final RecordingStore store;
  private final RecordingWorkflow workflow;
  private final MailReader mail;
  private final Listing listing;
  private final Keeping keeping;
  private final RecordingEndpoints endpoints;
  private final Fetch fetch;
  private final Optional<Crm> crm;
  private final BlobStore blobs;
  private boolean started;

  /**
   * What recordings are worked on with.
   *
   * @param transcriber empty: a recording ends without a transcript
   * @param crm empty: it ends without a sync
   */
  public record Tools(BlobStore blobs, Optional<Transcriber> transcriber, Optional<Crm> crm) {}

  /**
   * Wires recordings; nothing runs before {@link #start}.
   *
   * @param inbox the source under which the inbox holds webhooks about recordings
   * @param sync receives the progress of the sync
   */
  public Recordings(
      Redis redis,
      Database database,
      Journal journal,
      LeaseKeeper leases,
      RecordingSource source,
      Tools tools,
      SyncSteps sync,
      RecordingTerms terms,
      String inbox,
      String node,
      MeterRegistry registry,
      InstantSource time) {
    this.redis = redis;
    this.blobs = tools.blobs();
    this.crm = tools.crm();
    this.store = new RecordingStore(database);
    this.transitions = new RecordingTransitions(database, journal, source.name());
    RecordingMeters meters = new RecordingMeters(registry);
    RecordingLock lock = new RecordingLock(redis, leases);
    Discovery discovery =
        new Discovery(
            store, transitions, new Matching(database, source, time), lock, meters, source.name());
    this.mail =
        new MailReader(
            redis, discovery, source, store, new RecordingInbox(database, inbox), meters, node);
    this.listing = new Listing(store, transitions, discovery, source, terms, meters, time);
    this.fetch = new Fetch(DOWNLOAD_SILENCE_MAX);
    Transcripts transcripts = new Transcripts(journal);
    MeetingSync meetingSync = new MeetingSync(sync, crm.isPresent());
    StepLedger ledger = new StepLedger(database, transitions, meetingSync, time);
    this.workflow =
        new RecordingWorkflow(
            new StepRunner(
                lock,
                ledger,
                transitions,
                List.of(
                    new DownloadWork(source, blobs, ledger, fetch),
                    new TranscribeWork(blobs, tools.transcriber(), transcripts, ledger),
                    new PrepareWork(database, crm),
                    new TransformWork(database, crm),
                    new PushWork(database, crm)),
                meters),
            terms);
    this.keeping = new Keeping(database, journal, transcripts, blobs, meetingSync, terms, time);
    this.endpoints = new RecordingEndpoints(store, transitions, keeping, blobs, database, terms);
  }

  public List<Endpoint> endpoints() {
    return endpoints.endpoints();
  }

  /** Adds the work on a recording to an engine. */
  public void register(Durable.Builder builder) {
    workflow.register(builder);
  }

  /** The callback for notifications on the inbox's channel. */
  public Listener.Receiver inboxReceiver() {
    return new Listener.Receiver() {
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
   * Begins to read webhooks, to list, and to tidy up.
   *
   * @param account whether there is an account that could be listed
   */
  public void start(boolean account) {
    started = true;
    redis.onConnect(mail::inboxDue);
    mail.start();
    if (account) {
      listing.start();
    }
    keeping.start();
  }

  /**
   * Does the sync of a meeting again, of each of its recordings that failed, from the step that
   * failed on, in a transaction of the caller's; answers how many those are.
   */
  public int retrySync(Tx tx, long meetingId, String actor) {
    int again = 0;
    for (String failed : RecordingStore.failedSyncs(tx, meetingId)) {
      var applied = transitions.retry(tx, failed, Optional.empty(), actor);
      again += applied instanceof RecordingTransitions.Applied.Moved ? 1 : 0;
    }
    return again;
  }

  RecordingTransitions transitions() {
    return transitions;
  }

  MailReader mail() {
    return mail;
  }

  Listing listing() {
    return listing;
  }

  Keeping keeping() {
    return keeping;
  }

  @Override
  public void close() {
    if (started) {
      started = false;
      listing.close();
      keeping.close();
      mail.close();
    }
    fetch.close();
    crm.ifPresent(Crm::close);
    blobs.close();
  }

  private void looked() {
    if (started) {
      mail.inboxDue();
    }
  }
}
