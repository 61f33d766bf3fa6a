package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.agent.blobs.PartialBlob;
import io.convoke.fakes.janus.MjrRecording;
import io.convoke.server.platform.janus.JanusRecordingFolder;
import io.convoke.server.recordings.DownloadRequest.DownloadResult;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tracks are read from the bucket of the account, from where an earlier attempt stopped. */
class TrackBucketTest {
  private static final String KEY = "ours/stand-up/1760988935484-cam-audio-1760988935922";

  @TempDir private Path folder;

  @Test
  void theSameSoundOfAJanusGoesOnWhereItStopped() throws Exception {
    MjrRecording recording = MjrRecording.opus(Instant.now(), Instant.now(), "");
    for (int number = 0; number < 200; number++) {
      MjrRecording _ =
          recording.packet(20L * number, number, 960 * number, (byte) 0xf8, (byte) number);
    }
    String key = "yard/" + MjrRecording.name("yard", "ada", Instant.now());
    Path file = folder.resolve(key);
    Path _ = Files.createDirectories(file.getParent());
    Path _ = Files.write(file, recording.bytes());
    TrackBucket bucket = new TrackBucket.JanusBucket(new JanusRecordingFolder(folder));
    try (FolderBlobStore ours = new FolderBlobStore(folder.resolve("ours"));
        DownloadRequest downloadRequest = new DownloadRequest(Duration.ofSeconds(5))) {
      PartialBlob whole = ours.partial(new BlobKey("recordings/r/track-1"), "run-1");
      assertThat(bucket.rest(key, whole, 10_000_000, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
      var _ = whole.complete();
      byte[] all = ours.read(new BlobKey("recordings/r/track-1"), 0, 1_000_000).orElseThrow();

      PartialBlob broken = ours.partial(new BlobKey("recordings/r/track-2"), "run-1");
      long _ = broken.append(new ByteArrayInputStream(Arrays.copyOf(all, 333)), 333);
      assertThat(bucket.rest(key, broken, 10_000_000, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
      var _ = broken.complete();
      assertThat(ours.read(new BlobKey("recordings/r/track-2"), 0, 1_000_000)).contains(all);

      PartialBlob none = ours.partial(new BlobKey("recordings/r/track-3"), "run-1");
      assertThat(bucket.rest("yard/none.mjr", none, 10, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadLinkExpired.class);
      assertThat(bucket.rest("../x.mjr", none, 10, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadLinkExpired.class);
    }
  }

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

      List<Long> progress = new ArrayList<>();
      assertThat(bucket.rest(KEY, partial, 10_000_000, downloadRequest, progress::add))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
      assertThat(progress).containsExactly(2_048_576L, 3_000_000L);
      var _ = partial.complete();
      assertThat(ours.read(new BlobKey("recordings/r/track-1"), 0, 4_000_000)).contains(track);

      PartialBlob none = ours.partial(new BlobKey("recordings/r/track-2"), "run-1");
      assertThat(bucket.rest("ours/other", none, 10, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadLinkExpired.class);
    }
  }

  /** Each append to a blob in S3 stores its last megabytes anew. */
  @Test
  void aTrackIsAppendedOnceHoweverLongItIs() throws Exception {
    byte[] track = new byte[3_000_000];
    new SplittableRandom(1).nextBytes(track);
    List<String> called = new ArrayList<>();
    try (FolderBlobStore theirs = new FolderBlobStore(folder.resolve("theirs"));
        FolderBlobStore ours = new FolderBlobStore(folder.resolve("ours"));
        DownloadRequest downloadRequest = new DownloadRequest(Duration.ofSeconds(5))) {
      var _ = theirs.put(new BlobKey(KEY), new ByteArrayInputStream(track));
      BlobKey key = new BlobKey("recordings/r/track-1");
      PartialBlob partial = NotedCalls.of(PartialBlob.class, ours.partial(key, "run-1"), called);
      List<Long> progress = new ArrayList<>();
      assertThat(
              new TrackBucket.StoreBucket(theirs)
                  .rest(KEY, partial, 3_000_000, downloadRequest, progress::add))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
      var _ = partial.complete();
      assertThat(ours.read(key, 0, 4_000_000)).contains(track);
      assertThat(progress).containsExactly(1_048_576L, 2_097_152L, 3_000_000L);
    }
    assertThat(called).containsOnlyOnce("append");
  }

  @Test
  void aTrackIsNoLargerThanItMayBe() throws Exception {
    try (FolderBlobStore theirs = new FolderBlobStore(folder.resolve("theirs"));
        FolderBlobStore ours = new FolderBlobStore(folder.resolve("ours"));
        DownloadRequest downloadRequest = new DownloadRequest(Duration.ofSeconds(5))) {
      var _ = theirs.put(new BlobKey(KEY), new ByteArrayInputStream(new byte[10]));
      TrackBucket bucket = new TrackBucket.StoreBucket(theirs);
      PartialBlob partial = ours.partial(new BlobKey("recordings/r/track-1"), "run-1");
      assertThatThrownBy(() -> bucket.rest(KEY, partial, 9, downloadRequest, _ -> {}))
          .isInstanceOf(IOException.class)
          .hasMessage("the file is larger than 9 bytes");
      partial.discard();
      assertThat(bucket.rest(KEY, partial, 10, downloadRequest, _ -> {}))
          .isInstanceOf(DownloadResult.DownloadComplete.class);
    }
  }

  @Test
  void theStoreOfABucketIsClosedWithIt() throws IOException {
    List<String> called = new ArrayList<>();
    try (FolderBlobStore store = new FolderBlobStore(folder)) {
      new TrackBucket.StoreBucket(NotedCalls.of(BlobStore.class, store, called)).close();
    }
    assertThat(called).containsExactly("close");
  }
}
