package io.convoke.server.recordings;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.server.blobs.BlobKey;
import io.convoke.server.blobs.BlobStore;
import io.convoke.server.blobs.BlobStore.Stored;
import io.convoke.server.blobs.PartialBlob;
import io.convoke.server.platform.Outage;
import io.convoke.server.platform.RecordingSource;
import io.convoke.server.platform.RecordingSource.Link;
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
final class DownloadWork implements StepWork {
  private static final Logger log = LoggerFactory.getLogger(DownloadWork.class);

  /** Larger files are no audio of a meeting. */
  private static final long BYTES_MAX = 64L << 30;

  /** Requests of one attempt. */
  private static final int REQUESTS_MAX = 50;

  private static final int LINKS_MAX = 5;

  private final RecordingSource source;
  private final BlobStore blobs;
  private final StepLedger ledger;
  private final Fetch fetch;

  DownloadWork(RecordingSource source, BlobStore blobs, StepLedger ledger, Fetch fetch) {
    this.source = source;
    this.blobs = blobs;
    this.ledger = ledger;
    this.fetch = fetch;
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
    Progress progress = new Progress(ledger, claim, context);
    Optional<URI> link = Optional.empty();
    int links = 0;
    for (int request = 0; request < REQUESTS_MAX; request++) {
      if (link.isEmpty()) {
        if (links == LINKS_MAX) {
          throw new IOException(links + " links did not hold");
        }
        links++;
        switch (source.link(claim.recordingId())) {
          case Link.Ready(URI url) -> link = Optional.of(url);
          case Link.None(String words) -> {
            return new StepResult.Failed("the platform gives no link: " + words);
          }
          case Link.Unknown(Outage outage) ->
              throw new IOException("the platform gives no link now: " + outage.cause());
        }
      }
      long before = partial.size();
      switch (fetch.rest(link.get(), partial, BYTES_MAX, progress::bytes)) {
        case Fetch.Got.Whole(OptionalLong total) -> {
          total.ifPresent(all -> log.debug("{} of {} bytes", all, claim.recordingId()));
          return stored(claim, key, partial.complete());
        }
        case Fetch.Got.Part(String why) -> {
          log.info(
              "download of recording {} resumes at byte {}: {}",
              claim.recordingId(),
              partial.size(),
              why);
          if (partial.size() == before) {
            throw new IOException(why);
          }
        }
        case Fetch.Got.Expired(int status) -> {
          log.info("the link of recording {} answers {}", claim.recordingId(), status);
          link = Optional.empty();
        }
        case Fetch.Got.Other _ -> partial.discard();
      }
    }
    throw new IOException("the file did not come whole in " + REQUESTS_MAX + " requests");
  }

  private static StepResult stored(StepClaim claim, BlobKey key, Stored stored) {
    if (stored.size() == 0) {
      return new StepResult.Failed("the file is empty");
    }
    return new StepResult.Done(
        stored.size() + " bytes",
        tx -> {
          int _ =
              tx.sql(
                      """
                      update recordings set blob_key = ?, blob_size = ?, blob_sha256 = ?
                      where recording_id = ?
                      """)
                  .with(key.text(), stored.size(), stored.sha256(), claim.recordingId())
                  .update();
        });
  }

  /** Reports progress at a bounded rate; the length is estimated from the recording's duration. */
  private static final class Progress {
    private final StepProgress shown;
    private final ActivityContext context;
    private final double expected;

    private Progress(StepLedger ledger, StepClaim claim, ActivityContext context) {
      this.shown = new StepProgress(ledger, claim, Duration.ofSeconds(1));
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
