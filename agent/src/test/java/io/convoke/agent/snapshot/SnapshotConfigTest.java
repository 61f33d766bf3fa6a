package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.blobs.BlobKey;
import io.convoke.agent.blobs.BlobStoreConfig;
import io.convoke.agent.pod.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of snapshots and of the server's blob store, read by a pod. */
class SnapshotConfigTest {
  @Test
  void aFolderWithOrWithoutItsScheme(@TempDir Path folder) throws Exception {
    SnapshotConfig.openBlobStore(Map.of("CONVOKE_BLOB_STORE", "file:" + folder))
        .putNew(new BlobKey("a.png"), new byte[1], "image/png");
    SnapshotConfig.openBlobStore(Map.of("CONVOKE_BLOB_STORE", folder.toString()))
        .putNew(new BlobKey("b.png"), new byte[1], "image/png");
    assertThat(folder.resolve("blobs")).isDirectoryContaining("glob:**/{a,b}.png");
  }

  @Test
  void anS3StoreWithItsKeys() {
    Map<String, String> environment =
        Map.of(
            "CONVOKE_S3_ENDPOINT", "http://minio:9000",
            "CONVOKE_S3_REGION", "eu-central-1",
            "CONVOKE_S3_ACCESS_KEY", "key",
            "CONVOKE_S3_SECRET_KEY", "secret",
            "CONVOKE_BLOB_STORE", "s3://pictures/of/convoke/");
    assertThat(SnapshotConfig.blobStore(environment))
        .isEqualTo(
            new BlobStoreConfig(
                "s3://pictures/of/convoke/",
                Optional.of(URI.create("http://minio:9000")),
                Optional.of("eu-central-1"),
                Optional.of(new BlobStoreConfig.S3Credentials("key", "secret"))));
  }

  /** Java's HTTP client calls none of these. */
  @Test
  void addressesWithoutAHostForJavaAreRefused() {
    assertThatThrownBy(
            () -> SnapshotConfig.blobStore(Map.of("CONVOKE_S3_ENDPOINT", "http://my_minio:9000")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("CONVOKE_S3_ENDPOINT must be a URL whose host");
    assertThatThrownBy(
            () ->
                SnapshotConfig.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "http://the_rooms/rooms")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("CONVOKE_SNAPSHOT_ROOMS_URL must be a URL whose host");
  }

  @Test
  void invalidSettingsAreUsageErrors() {
    assertThatThrownBy(() -> SnapshotConfig.openBlobStore(Map.of("CONVOKE_BLOB_STORE", "s3://")))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(
            () -> SnapshotConfig.openBlobStore(Map.of("CONVOKE_BLOB_STORE", "file:/dev/null/x")))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(() -> SnapshotConfig.blobStore(Map.of("CONVOKE_S3_ENDPOINT", "minio:9000")))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(
            () -> SnapshotConfig.blobStore(Map.of("CONVOKE_S3_ENDPOINT", "http://minio:9000/{x}")))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("CONVOKE_S3_ENDPOINT must be");
    assertThatThrownBy(
            () -> SnapshotConfig.blobStore(Map.of("CONVOKE_S3_ACCESS_KEY", "half-a-pair")))
        .isInstanceOf(UsageException.class)
        .hasMessage("CONVOKE_S3_ACCESS_KEY and CONVOKE_S3_SECRET_KEY need each other");
    assertThatThrownBy(() -> SnapshotConfig.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "rooms")))
        .isInstanceOf(UsageException.class);
    assertThat(
            SnapshotConfig.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "http://sim/rooms/")).rooms())
        .hasToString("http://sim/rooms");
  }
}
