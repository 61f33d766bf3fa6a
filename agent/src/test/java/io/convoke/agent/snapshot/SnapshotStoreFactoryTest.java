package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.pod.UsageException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's settings of its blob store, read by a pod. */
class SnapshotStoreFactoryTest {
  @Test
  void aFolderWithOrWithoutItsScheme(@TempDir Path folder) throws Exception {
    SnapshotStoreFactory.open(Map.of("CONVOKE_BLOB_STORE", "file:" + folder))
        .keep("a.png", new byte[1]);
    SnapshotStoreFactory.open(Map.of("CONVOKE_BLOB_STORE", folder.toString()))
        .keep("b.png", new byte[1]);
    assertThat(folder.resolve("blobs")).isDirectoryContaining("glob:**/{a,b}.png");
  }

  @Test
  void aBucketWithItsPrefix() {
    Map<String, String> environment =
        Map.of(
            "CONVOKE_S3_ENDPOINT", "http://minio:9000",
            "CONVOKE_S3_REGION", "eu-central-1",
            "CONVOKE_S3_ACCESS_KEY", "key",
            "CONVOKE_S3_SECRET_KEY", "secret");
    S3SnapshotStore.S3Location s3Location =
        SnapshotStoreFactory.place(environment, "s3://pictures/of/convoke/");
    assertThat(s3Location)
        .isEqualTo(
            new S3SnapshotStore.S3Location(
                "pictures",
                "of/convoke",
                Optional.of(URI.create("http://minio:9000")),
                Optional.of("eu-central-1"),
                Optional.of(new S3SnapshotStore.S3Credentials("key", "secret"))));
    assertThat(s3Location.toString()).doesNotContain("secret");
    assertThat(SnapshotStoreFactory.place(Map.of(), "s3://pictures").prefix()).isEmpty();
  }

  @Test
  void whatMakesNoSenseIsSaid() {
    assertThatThrownBy(() -> SnapshotStoreFactory.open(Map.of("CONVOKE_BLOB_STORE", "s3://")))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(
            () -> SnapshotStoreFactory.open(Map.of("CONVOKE_BLOB_STORE", "file:/dev/null/x")))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(
            () ->
                SnapshotStoreFactory.place(
                    Map.of("CONVOKE_S3_ENDPOINT", "minio:9000"), "s3://pictures"))
        .isInstanceOf(UsageException.class);
    assertThatThrownBy(() -> SnapshotConfig.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "rooms")))
        .isInstanceOf(UsageException.class);
    assertThat(
            SnapshotConfig.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "http://sim/rooms/")).rooms())
        .hasToString("http://sim/rooms");
  }
}
