package io.convoke.agent.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.pod.UsageFault;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's settings of its blob store, read by a pod. */
class PictureStoreTest {
  @Test
  void aFolderWithOrWithoutItsScheme(@TempDir Path folder) throws Exception {
    PictureStore.open(Map.of("CONVOKE_BLOB_STORE", "file:" + folder)).keep("a.png", new byte[1]);
    PictureStore.open(Map.of("CONVOKE_BLOB_STORE", folder.toString())).keep("b.png", new byte[1]);
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
    S3Pictures.Place place = PictureStore.place(environment, "s3://pictures/of/convoke/");
    assertThat(place)
        .isEqualTo(
            new S3Pictures.Place(
                "pictures",
                "of/convoke",
                Optional.of(URI.create("http://minio:9000")),
                Optional.of("eu-central-1"),
                Optional.of(new S3Pictures.Keys("key", "secret"))));
    assertThat(place.toString()).doesNotContain("secret");
    assertThat(PictureStore.place(Map.of(), "s3://pictures").prefix()).isEmpty();
  }

  @Test
  void whatMakesNoSenseIsSaid() {
    assertThatThrownBy(() -> PictureStore.open(Map.of("CONVOKE_BLOB_STORE", "s3://")))
        .isInstanceOf(UsageFault.class);
    assertThatThrownBy(() -> PictureStore.open(Map.of("CONVOKE_BLOB_STORE", "file:/dev/null/x")))
        .isInstanceOf(UsageFault.class);
    assertThatThrownBy(
            () -> PictureStore.place(Map.of("CONVOKE_S3_ENDPOINT", "minio:9000"), "s3://pictures"))
        .isInstanceOf(UsageFault.class);
    assertThatThrownBy(() -> SnapshotTerms.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "rooms")))
        .isInstanceOf(UsageFault.class);
    assertThat(
            SnapshotTerms.read(Map.of("CONVOKE_SNAPSHOT_ROOMS_URL", "http://sim/rooms/")).rooms())
        .hasToString("http://sim/rooms");
  }
}
