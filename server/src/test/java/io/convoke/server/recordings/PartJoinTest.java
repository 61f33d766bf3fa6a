package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStore;
import io.convoke.agent.blobs.BlobStore.StoredBlob;
import io.convoke.agent.blobs.FolderBlobStore;
import io.convoke.server.recordings.RecordingParts.ParticipantPart;
import io.convoke.server.recordings.RecordingParts.StoredPart;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of uploaded parts is written as one stream. */
class PartJoinTest {
  private static final BlobKey JOINED = new BlobKey("recordings/r/track-1");

  @TempDir private Path folder;

  /** Each append to a blob in S3 stores its last megabytes anew. */
  @Test
  void aFileIsAppendedOnceHoweverManyPartsItHas() throws Exception {
    List<String> called = new ArrayList<>();
    try (FolderBlobStore store = new FolderBlobStore(folder)) {
      List<StoredPart> parts =
          List.of(
              part(store, 0, wav("one."), 0),
              part(store, 1, wav("two."), 1),
              part(store, 2, wav(""), 2),
              part(store, 3, wav("last"), 3));
      StoredBlob joined =
          new PartJoin(NotedCalls.of(BlobStore.class, store, called)).file(JOINED, 1, parts);

      // 32 bytes are a millisecond.
      String gap = "\0".repeat(28);
      byte[] whole = wav("one." + gap + "two." + gap + "\0".repeat(32) + "last");
      assertThat(store.read(JOINED, 0, 1_000)).contains(whole);
      assertThat(joined.size()).isEqualTo(whole.length);
    }
    assertThat(called).containsOnlyOnce("append");
  }

  /** Else all sound behind it would be noise. */
  @Test
  void aSampleThatAPartLeftUnfinishedIsFilledUp() throws Exception {
    try (FolderBlobStore store = new FolderBlobStore(folder)) {
      List<StoredPart> parts =
          List.of(
              part(store, 0, wav("odd"), 0),
              part(store, 1, wav("even"), 0),
              part(store, 2, wav("one"), 0),
              part(store, 3, wav("late"), 1));
      StoredBlob _ = new PartJoin(store).file(JOINED, 1, parts);

      assertThat(store.read(JOINED, 0, 1_000))
          .contains(wav("odd\0even" + "one\0" + "\0".repeat(20) + "late"));
    }
  }

  @Test
  void samplesAreFilledUpWhereTheRateLeavesNoGaps() throws Exception {
    byte[] fast = wav("odd");
    byte[] joined = wav("odd\0late");
    fast[30] = 127;
    joined[30] = 127;
    try (FolderBlobStore store = new FolderBlobStore(folder)) {
      List<StoredPart> parts = List.of(part(store, 0, fast, 0), part(store, 1, wav("late"), 1));
      StoredBlob _ = new PartJoin(store).file(JOINED, 1, parts);

      assertThat(store.read(JOINED, 0, 1_000)).contains(joined);
    }
  }

  private static StoredPart part(BlobStore store, int number, byte[] content, long offsetMs)
      throws IOException {
    BlobKey key = RecordingParts.key("r", number);
    return new StoredPart(
        number,
        key,
        store.put(key, new ByteArrayInputStream(content)).size(),
        Optional.of(new ParticipantPart("ada", Duration.ofMillis(offsetMs))));
  }

  private static byte[] wav(String sound) {
    return RecordingUploadsTest.wav(sound).getBytes(StandardCharsets.ISO_8859_1);
  }
}
