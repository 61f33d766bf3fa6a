package io.convoke.agent.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BlobStoreConfigTest {
  @Test
  void anS3LocationIsABucketAndAPrefix() {
    assertThat(at("s3://pictures").bucket()).isEqualTo("pictures");
    assertThat(at("s3://pictures").prefix()).isEmpty();
    assertThat(at("s3://pictures/").prefix()).isEmpty();
    assertThat(at("s3://pictures/of/convoke/").bucket()).isEqualTo("pictures");
    assertThat(at("s3://pictures/of/convoke/").prefix()).isEqualTo("of/convoke");
  }

  @Test
  void anS3LocationNeedsABucket() {
    assertThatIllegalArgumentException().isThrownBy(() -> at("s3://"));
    assertThatIllegalArgumentException().isThrownBy(() -> at("s3:///prefix"));
  }

  @Test
  void theAddressOfAnUnknownStoreIsNoFolder() {
    for (String wrong : List.of("gs://pictures", "S3://pictures", "s3:pictures", "https://a/b")) {
      assertThatIllegalArgumentException().isThrownBy(() -> at(wrong));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> at("file:"));
    for (String folder : List.of("/srv/blobs", "blobs", "file:blobs", "file:///srv/blobs")) {
      assertThat(at(folder).location()).isEqualTo(folder);
    }
  }

  @Test
  void theSecretKeyIsNeverShown() {
    assertThat(new BlobStoreConfig.S3Credentials("key", "hidden").toString())
        .doesNotContain("hidden");
  }

  private static BlobStoreConfig at(String location) {
    return new BlobStoreConfig(location, Optional.empty(), Optional.empty(), Optional.empty());
  }
}
