package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.RecordingLinkResult;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Downloads a recording's audio into the blob store. A broken download resumes where it stopped, in
 * this attempt or a later one; an expired link is requested again; a changed file is downloaded
 * from the start.
 */
final class DownloadStep implements StepHandler {
  private static final Logger log = LoggerFactory.getLogger(DownloadStep.class);

  /** Maximum size; larger files are not audio of a meeting. */
  private static final long BYTES_MAX = 64L << 30;

  /** Maximum requests in one attempt. */
  private static final int REQUESTS_MAX = 50;

  private static final int LINKS_MAX = 5;

  private final RecordingSource source;
  private final BlobStore blobs;
  private final StepStore ledger;
  private final DownloadRequest downloadRequest;

  DownloadStep(
      RecordingSource source, BlobStore blobs, StepStore ledger, DownloadRequest downloadRequest) {
    this.source = source;
    this.blobs = blobs;
    this.ledger = ledger;
    this.downloadRequest = downloadRequest;
  }

  @Override
  public StepName name() {
    return StepName.DOWNLOAD;
  }

  static BlobKey key(String recordingId) {
    return new BlobKey("recordings/" + recordingId + "/audio");
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context)
      throws IOException, InterruptedException {
    BlobKey key = key(claim.recordingId());
    PartialBlob partial = blobs.partial(key, "run-" + claim.order().run());
    DownloadProgress downloadProgress = new DownloadProgress(ledger, claim, context);
    Optional<URI> link = Optional.empty();
    int links = 0;
    for (int request = 0; request < REQUESTS_MAX; request++) {
      if (link.isEmpty()) {
        if (links == LINKS_MAX) {
          throw new IOException(links + " links did not hold");
        }
        links++;
        switch (source.link(claim.recordingId())) {
          case RecordingLinkResult.RecordingLinkReady(URI url) -> link = Optional.of(url);
          case RecordingLinkResult.NoRecordingLink(String message) -> {
            return new StepResult.StepFailedForGood("the platform gives no link: " + message);
          }
          case RecordingLinkResult.RecordingLinkUnknown(PlatformError platformError) ->
              throw new IOException("the platform gives no link now: " + platformError.cause());
        }
      }
      long before = partial.size();
      switch (downloadRequest.rest(link.get(), partial, BYTES_MAX, downloadProgress::bytes)) {
        case DownloadRequest.DownloadResult.DownloadComplete(OptionalLong total) -> {
          total.ifPresent(all -> log.debug("{} of {} bytes", all, claim.recordingId()));
          return stored(claim, key, partial.complete());
        }
        case DownloadRequest.DownloadResult.DownloadInterrupted(String why) -> {
          log.info(
              "download of recording {} resumes at byte {}: {}",
              claim.recordingId(),
              partial.size(),
              why);
          if (partial.size() == before) {
            throw new IOException(why);
          }
        }
        case DownloadRequest.DownloadResult.DownloadLinkExpired(int status) -> {
          log.info("the link of recording {} answers {}", claim.recordingId(), status);
          link = Optional.empty();
        }
        case DownloadRequest.DownloadResult.DownloadFileChanged _ -> partial.discard();
      }
    }
    throw new IOException("the download is incomplete after " + REQUESTS_MAX + " requests");
  }

  private static StepResult stored(StepClaim claim, BlobKey key, StoredBlob storedBlob) {
    if (storedBlob.size() == 0) {
      return new StepResult.StepFailedForGood("the file is empty");
    }
    return new StepResult.StepDone(
        storedBlob.size() + " bytes",
        tx -> {
          int _ =
              tx.sql(
                      """
                      update recordings set blob_key = ?, blob_size = ?, blob_sha256 = ?
                      where recording_id = ?
                      """)
                  .with(key.text(), storedBlob.size(), storedBlob.sha256(), claim.recordingId())
                  .update();
        });
  }

  /** Reports progress at a bounded rate; the length is estimated from the recording's duration. */
  private static final class DownloadProgress {
    private final StepProgressReporter shown;
    private final ActivityContext context;
    private final double expected;

    private DownloadProgress(StepStore ledger, StepClaim claim, ActivityContext context) {
      this.shown = new StepProgressReporter(ledger, claim, Duration.ofSeconds(1));
      this.context = context;
      // Daily's audio has about 16 kB a second; the estimate never exceeds nearly done.
      this.expected = Math.max(1, claim.row().durationS().orElse(0)) * 32_000.0;
    }

    private void bytes(long size) {
      try {
        context.heartbeat();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
      shown.at(Math.min(0.95, size / expected));
    }
  }
}
