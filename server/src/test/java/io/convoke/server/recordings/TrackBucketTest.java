package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.server.recordings.DownloadRequest.DownloadResult;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tracks are read from the bucket of the account, from where an earlier attempt stopped. */
class TrackBucketTest {
  private static final String KEY = "ours/stand-up/1760988935484-cam-audio-1760988935922";

  @TempDir private Path folder;

  @Test
  void aTrackIsReadFromWhereItStopped() throws Exception {
    byte[] track = new byte[3_000_000];
    new SplittableRandom(1).nextBytes(track);
    try (FolderBlobStore theirs = new FolderBlobStore(folder.resolve("theirs"));
        FolderBlobStore ours = new FolderBlobStore(folder.resolve("ours"));
        DownloadRequest downloadRequest = new DownloadRequest(Duration.ofSeconds(5))) {
      var _ = theirs.put(new BlobKey(KEY), new ByteArrayInputStream(track));
      TrackBucket bucket = new TrackBucket.StoreBucket(theirs);
      PartialBlob partial = ours.partial(new BlobKey("recordings/r/track-1"), "run-1");
      long _ = partial.append(new ByteArrayInputStream(Arrays.copyOf(track, 1_000_000)), 1_000_000);

      assertThat(bucket.rest(KEY, partial, 10_000_000, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
      var _ = partial.complete();
      assertThat(ours.read(new BlobKey("recordings/r/track-1"), 0, 4_000_000)).contains(track);

      PartialBlob none = ours.partial(new BlobKey("recordings/r/track-2"), "run-1");
      assertThat(bucket.rest("ours/other", none, 10, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadLinkExpired.class);
    }
  }
}
