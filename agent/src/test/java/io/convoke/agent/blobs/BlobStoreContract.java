package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.blobs.BlobStore.StoredBlob;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The behaviour of every blob store that recordings and snapshots rely on. */
abstract class BlobStoreContract {
  /** A size at which the store writes something of its own accord. */
  protected static final int CHUNK = 5 * 1024 * 1024;

  private static final BlobKey KEY = new BlobKey("recordings/a-recording/audio");

  protected BlobStore store;

  /** The same store, as another process would open it. */
  protected abstract BlobStore open() throws IOException;

  @BeforeEach
  void openFirst() throws IOException {
    store = open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aBlobComesBackAsItWasPutAndCanBeReadFromAnywhere() throws IOException {
    byte[] bytes = bytes(100_000, 1);
    StoredBlob storedBlob = store.put(KEY, new ByteArrayInputStream(bytes));
    assertThat(storedBlob.size()).isEqualTo(bytes.length);
    assertThat(storedBlob.sha256()).isEqualTo(sha256(bytes));
    assertThat(all(KEY, 0)).isEqualTo(bytes);
    assertThat(all(KEY, 99_990)).isEqualTo(Arrays.copyOfRange(bytes, 99_990, 100_000));
    assertThat(all(KEY, 100_000)).isEmpty();
    assertThat(store.read(KEY, 10, 5)).contains(Arrays.copyOfRange(bytes, 10, 15));
    assertThat(store.stat(KEY).orElseThrow().size()).isEqualTo(bytes.length);
  }

  @Test
  void aBlobOfSeveralChunksComesBackAsItWasPut() throws IOException {
    for (int size : List.of(CHUNK - 1, CHUNK, CHUNK + 5)) {
      byte[] bytes = bytes(size, 1);
      assertThat(store.put(KEY, new ByteArrayInputStream(bytes)))
          .isEqualTo(new StoredBlob(size, sha256(bytes)));
      assertThat(all(KEY, 0)).isEqualTo(bytes);
    }
  }

  @Test
  void aSecondPutReplacesTheBlob() throws IOException {
    StoredBlob _ = store.put(KEY, new ByteArrayInputStream(bytes(1000, 1)));
    byte[] second = bytes(10, 2);
    StoredBlob _ = store.put(KEY, new ByteArrayInputStream(second));
    assertThat(all(KEY, 0)).isEqualTo(second);
  }

  @Test
  void putNewNeverReplacesABlob() throws IOException {
    store.putNew(KEY, new byte[] {1, 2, 3}, "image/png");
    assertThatThrownBy(() -> store.putNew(KEY, new byte[] {4}, "image/png"))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(all(KEY, 0)).containsExactly(1, 2, 3);
    assertThat(store.deletePartials(Instant.now().plus(Duration.ofHours(1)))).isZero();
  }

  @Test
  void anEmptyBlobIsABlob() throws IOException {
    StoredBlob storedBlob = store.put(KEY, InputStream.nullInputStream());
    assertThat(storedBlob.size()).isZero();
    assertThat(all(KEY, 0)).isEmpty();
  }

  @Test
  void aMissingBlobIsEmpty() throws IOException {
    BlobKey nothing = new BlobKey("recordings/missing/audio");
    assertThat(store.stat(nothing)).isEmpty();
    assertThat(store.open(nothing)).isEmpty();
    assertThat(store.delete(nothing)).isFalse();
  }

  @Test
  void aDeletedBlobIsGone() throws IOException {
    StoredBlob _ = store.put(KEY, new ByteArrayInputStream(bytes(10, 1)));
    assertThat(store.delete(KEY)).isTrue();
    assertThat(store.stat(KEY)).isEmpty();
    assertThat(store.list("recordings/", Optional.empty(), 10).blobs()).isEmpty();
  }

  @Test
  void aPartialGoesOnInAnotherProcessWhereItStopped() throws IOException {
    byte[] bytes = bytes(2 * CHUNK + 12_345, 3);
    PartialBlob partial = store.partial(KEY, "download-1");
    int cut = CHUNK + 1000;
    assertThatThrownBy(() -> partial.append(breaking(bytes, cut), Long.MAX_VALUE))
        .isInstanceOf(IOException.class)
        .hasMessage("the line broke");
    assertThat(store.stat(KEY)).isEmpty();
    assertThat(store.list("recordings/", Optional.empty(), 10).blobs()).isEmpty();

    try (BlobStore other = open()) {
      PartialBlob resumed = other.partial(KEY, "download-1");
      assertThat(resumed.size()).isEqualTo(cut);
      ByteArrayInputStream rest = new ByteArrayInputStream(bytes, cut, bytes.length - cut);
      assertThat(resumed.append(rest, 500)).isEqualTo(500);
      assertThat(resumed.append(rest, Long.MAX_VALUE)).isEqualTo(bytes.length - cut - 500L);
      StoredBlob storedBlob = resumed.complete();
      assertThat(storedBlob.size()).isEqualTo(bytes.length);
      assertThat(storedBlob.sha256()).isEqualTo(sha256(bytes));
      assertThat(other.partial(KEY, "download-1").size()).isZero();
    }
    assertThat(all(KEY, 0)).isEqualTo(bytes);
  }

  /** As when a worker learns, while it reads, that another one has claimed its work. */
  @Test
  void aWriterThatGivesUpTakesNothingFromTheNextOne() throws IOException {
    byte[] bytes = bytes(CHUNK + 5, 4);
    PartialBlob partial = store.partial(KEY, "download-1");
    PartialBlob next = store.partial(KEY, "download-1");
    InputStream overtaken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            return read(new byte[1], 0, 1);
          }

          @Override
          public int read(byte[] buffer, int offset, int length) throws IOException {
            long _ = next.append(new ByteArrayInputStream(bytes), Long.MAX_VALUE);
            throw new IllegalStateException("another writer goes on");
          }
        };
    InputStream content =
        new SequenceInputStream(new ByteArrayInputStream(bytes, 0, 1000), overtaken);
    assertThatThrownBy(() -> partial.append(content, Long.MAX_VALUE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("another writer goes on");

    assertThat(next.complete()).isEqualTo(new StoredBlob(bytes.length, sha256(bytes)));
    assertThat(all(KEY, 0)).isEqualTo(bytes);
  }

  @Test
  void aPartialThatIsDiscardedBeginsAnew() throws IOException {
    PartialBlob partial = store.partial(KEY, "download-1");
    long _ = partial.append(new ByteArrayInputStream(bytes(1000, 1)), Long.MAX_VALUE);
    partial.discard();
    assertThat(partial.size()).isZero();
    byte[] other = bytes(20, 2);
    long _ = partial.append(new ByteArrayInputStream(other), Long.MAX_VALUE);
    assertThat(partial.complete().sha256()).isEqualTo(sha256(other));
    assertThat(all(KEY, 0)).isEqualTo(other);
  }

  @Test
  void partialsOfDifferentTagsDoNotMeet() throws IOException {
    PartialBlob first = store.partial(KEY, "download-1");
    long _ = first.append(new ByteArrayInputStream(bytes(10, 1)), Long.MAX_VALUE);
    assertThat(store.partial(KEY, "download-2").size()).isZero();
  }

  @Test
  void oldPartialsAreDeleted() throws IOException {
    PartialBlob partial = store.partial(KEY, "download-1");
    long _ = partial.append(new ByteArrayInputStream(bytes(10, 1)), Long.MAX_VALUE);
    assertThat(store.deletePartials(Instant.now().minus(Duration.ofHours(1)))).isZero();
    assertThat(store.deletePartials(Instant.now().plus(Duration.ofHours(1)))).isEqualTo(1);
    assertThat(store.partial(KEY, "download-1").size()).isZero();
  }

  @Test
  void aListingMeetsEveryBlobOnceInTheOrderOfItsKey() throws IOException {
    List<String> keys = List.of("recordings/a/audio", "recordings/a-b/audio", "recordings/b/audio");
    for (String key : keys) {
      StoredBlob _ = store.put(new BlobKey(key), new ByteArrayInputStream(bytes(3, 1)));
    }
    StoredBlob _ = store.put(new BlobKey("others/c"), new ByteArrayInputStream(bytes(3, 1)));
    List<String> met = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      BlobStore.BlobPage blobPage = store.list("recordings/", after, 2);
      assertThat(blobPage.blobs()).hasSizeLessThanOrEqualTo(2);
      blobPage.blobs().forEach(blobInfo -> met.add(blobInfo.key()));
      after = blobPage.next();
    } while (after.isPresent());
    assertThat(met).containsExactlyElementsOf(keys.stream().sorted().toList());
  }

  @Test
  void aListHasTheKeysOfItsPrefixAlone() throws IOException {
    for (String key : List.of("egress/a/x", "egress/ab/y", "egress/a/1/z", "egressa")) {
      StoredBlob _ = store.put(new BlobKey(key), new ByteArrayInputStream(bytes(3, 1)));
    }
    assertThat(keys("egress/a/")).containsExactly("egress/a/1/z", "egress/a/x");
    assertThat(keys("egress/a")).containsExactly("egress/a/1/z", "egress/a/x", "egress/ab/y");
    assertThat(keys("egress/none/")).isEmpty();
    assertThat(keys("egress/../")).isEmpty();
    assertThat(keys("")).contains("egressa", "egress/ab/y");
  }

  private List<String> keys(String prefix) throws IOException {
    return store.list(prefix, Optional.empty(), 100).blobs().stream()
        .map(BlobStore.BlobInfo::key)
        .toList();
  }

  @Test
  void noKeyLeavesTheStore() {
    for (String bad : List.of("", "/a", "a/", "a//b", "../a", "a/../b", ".partial/x", "a b", "ä")) {
      assertThatIllegalArgumentException().isThrownBy(() -> new BlobKey(bad));
    }
  }

  private byte[] all(BlobKey key, long from) throws IOException {
    try (InputStream stream = store.open(key, from).orElseThrow()) {
      return stream.readAllBytes();
    }
  }

  protected static byte[] bytes(int size, long seed) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] bytes) {
    Sha256 digest = new Sha256();
    digest.add(bytes, 0, bytes.length);
    return digest.hex();
  }

  /** A stream that breaks after so many bytes. */
  private static InputStream breaking(byte[] bytes, int after) {
    return new InputStream() {
      private final InputStream whole = new ByteArrayInputStream(bytes, 0, after);

      @Override
      public int read() throws IOException {
        int next = whole.read();
        if (next < 0) {
          throw new IOException("the line broke");
        }
        return next;
      }

      @Override
      public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = whole.read(buffer, offset, length);
        if (read < 0) {
          throw new IOException("the line broke");
        }
        return read;
      }
    };
  }
}
