package io.convoke.server.recordings;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.platform.PlatformError;
import io.convoke.server.platform.RecordingSource.RecordingLinkResult;
import io.convoke.server.platform.RecordingSource.RecordingTrack;
import io.convoke.server.platform.RecordingSource.RecordingTracksResult;
import io.convoke.server.recordings.RecordingTracks.StoredTrack;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Downloads a recording's audio into the blob store: one file behind a link, or a file for each
 * track in the account's bucket. A broken download resumes where it stopped, in this attempt or a
 * later one; an expired link is requested again; a changed file is downloaded from the start.
 */
final class DownloadStep implements StepHandler {
  private static final Logger log = LoggerFactory.getLogger(DownloadStep.class);

  /** Maximum size; larger files are not audio of a meeting. */
  private static final long BYTES_MAX = 64L << 30;

  /** Maximum requests in one attempt. */
  private static final int REQUESTS_MAX = 50;

  private static final int LINKS_MAX = 5;

  /** The kind of a recording with a track per participant. */
  private static final String RAW_TRACKS = "raw-tracks";

  private static final int TRACKS_MAX = 1000;

  private final List<RecordingPlatform> platforms;
  private final BlobStore blobs;
  private final StepStore ledger;
  private final DownloadRequest downloadRequest;
  private final Database database;
  private final RecordingParts parts;

  /**
   * Platforms whose recordings are downloaded; the first one's if a recording's is none of them.
   */
  DownloadStep(
      List<RecordingPlatform> platforms,
      BlobStore blobs,
      StepStore ledger,
      DownloadRequest downloadRequest,
      Database database,
      RecordingParts parts) {
    this.database = database;
    this.parts = parts;
    this.platforms = platforms;
    this.blobs = blobs;
    this.ledger = ledger;
    this.downloadRequest = downloadRequest;
  }

  @Override
  public StepName name() {
    return StepName.DOWNLOAD;
  }

  /** What the keys of all blobs of a recording begin with. */
  static String folder(String recordingId) {
    return "recordings/" + recordingId + "/";
  }

  static BlobKey key(String recordingId) {
    return new BlobKey(folder(recordingId) + "audio");
  }

  static BlobKey trackKey(String recordingId, int number) {
    return new BlobKey(folder(recordingId) + "track-" + number);
  }

  @Override
  public StepResult run(StepClaim claim, ActivityContext context)
      throws IOException, InterruptedException {
    if (claim.row().kind().equals(RecordingParts.KIND)) {
      return parts.assemble(claim);
    }
    RecordingPlatform platform = platform(claim.row().platform());
    if (claim.row().kind().equals(RAW_TRACKS)) {
      return tracks(claim, context, platform);
    }
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
        switch (platform.source().link(claim.recordingId())) {
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

  private RecordingPlatform platform(String name) {
    return platforms.stream()
        .filter(it -> it.source().name().equals(name))
        .findFirst()
        .orElseGet(
            () ->
                new RecordingPlatform(
                    platforms.getFirst().source(),
                    Optional.empty(),
                    RecordingPlatform.setting(name)));
  }

  private StepResult tracks(StepClaim claim, ActivityContext context, RecordingPlatform platform)
      throws IOException, InterruptedException {
    if (platform.tracks().isEmpty()) {
      return new StepResult.StepFailedForGood(
          "the recording has a track per participant in a bucket or folder of yours: name it in "
              + platform.setting()
              + ", then retry");
    }
    TrackBucket bucket = platform.tracks().get();
    switch (platform.source().tracks(claim.recordingId())) {
      case RecordingTracksResult.RecordingTracksUnknown(PlatformError platformError) ->
          throw new IOException("the platform lists no tracks now: " + platformError.cause());
      case RecordingTracksResult.RecordingTracksListed(List<RecordingTrack> tracks) -> {
        if (tracks.isEmpty() && storedBefore(claim)) {
          return StepResult.StepDone.of("its tracks were stored before");
        }
        if (tracks.isEmpty() || tracks.size() > TRACKS_MAX) {
          return new StepResult.StepFailedForGood(
              "the platform lists " + tracks.size() + " tracks with sound");
        }
        ledger.write(claim, tx -> RecordingTracks.add(tx, claim.recordingId(), tracks));
      }
    }
    List<StoredTrack> stored = RecordingTracks.of(database, claim.recordingId(), claim.meetingId());
    for (StoredTrack track : stored) {
      if (track.audio().isEmpty()) {
        track(claim, context, track, bucket, platform.setting());
      }
    }
    return StepResult.StepDone.of(stored.size() + " tracks");
  }

  /** Whether a repeated download has nothing to do, as the platform's files are deleted. */
  private boolean storedBefore(StepClaim claim) {
    List<StoredTrack> stored = RecordingTracks.of(database, claim.recordingId(), claim.meetingId());
    return !stored.isEmpty() && stored.stream().allMatch(track -> track.audio().isPresent());
  }

  /** Downloads a track; it is stored at once, so that a later attempt begins with the next one. */
  private void track(
      StepClaim claim,
      ActivityContext context,
      StoredTrack track,
      TrackBucket bucket,
      String setting)
      throws IOException, InterruptedException {
    BlobKey key = trackKey(claim.recordingId(), track.number());
    PartialBlob partial = blobs.partial(key, "run-" + claim.order().run());
    DownloadProgress progress = new DownloadProgress(ledger, claim, context);
    for (int request = 0; request < REQUESTS_MAX; request++) {
      long before = partial.size();
      switch (bucket.rest(
          track.platformKey(), partial, BYTES_MAX, downloadRequest, progress::bytes)) {
        case DownloadRequest.DownloadResult.DownloadComplete _ -> {
          StoredBlob blob = partial.complete();
          ledger.write(
              claim,
              tx -> RecordingTracks.stored(tx, claim.recordingId(), track.number(), key, blob));
          return;
        }
        case DownloadRequest.DownloadResult.DownloadInterrupted(String why) -> {
          if (partial.size() == before) {
            throw new IOException(why);
          }
        }
        case DownloadRequest.DownloadResult.DownloadLinkExpired(int status) ->
            throw new IOException(
                setting + ": the answer is " + status + " for track " + track.number());
        case DownloadRequest.DownloadResult.DownloadFileChanged _ -> partial.discard();
      }
    }
    throw new IOException("a track is incomplete after " + REQUESTS_MAX + " requests");
  }

  private static StepResult stored(StepClaim claim, BlobKey key, StoredBlob storedBlob) {
    if (storedBlob.size() == 0) {
      return new StepResult.StepFailedForGood("the file is empty");
    }
    return new StepResult.StepDone(
        storedBlob.size() + " bytes", tx -> store(tx, claim.recordingId(), key, storedBlob));
  }

  static void store(Tx tx, String recordingId, BlobKey key, StoredBlob storedBlob) {
    int _ =
        tx.sql(
                """
                update recordings set blob_key = ?, blob_size = ?, blob_sha256 = ?
                where recording_id = ?
                """)
            .with(key.text(), storedBlob.size(), storedBlob.sha256(), recordingId)
            .update();
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
