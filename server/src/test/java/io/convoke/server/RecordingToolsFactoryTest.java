package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start and the doctor say of buckets that no client can be made for. */
class RecordingToolsFactoryTest {
  /** Where the SDK would look for a region besides the environment. */
  private static final Map<String, String> NOWHERE =
      Map.of(
          "aws.disableEc2Metadata", "true",
          "aws.configFile", "/dev/null",
          "aws.sharedCredentialsFile", "/dev/null");

  private final Map<String, String> before = new HashMap<>();

  @BeforeEach
  void outsideOfAmazon() {
    assumeThat(System.getenv("AWS_REGION")).isNull();
    NOWHERE.forEach(
        (name, value) -> {
          before.put(name, System.getProperty(name, ""));
          String _ = System.setProperty(name, value);
        });
  }

  @AfterEach
  void asItWas() {
    before.forEach(
        (name, value) -> {
          String _ = value.isEmpty() ? System.clearProperty(name) : System.setProperty(name, value);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"CONVOKE_BLOB_STORE", "CONVOKE_DAILY_TRACKS"})
  void aBucketOfAmazonsWithoutARegionIsAFault(String setting) {
    assertThatThrownBy(
            () -> RecordingToolsFactory.check(ServerConfig.of(Map.of(setting, "s3://bucket"))))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(
            "CONVOKE_S3_REGION is missing: without CONVOKE_S3_ENDPOINT the bucket is Amazon's");
  }

  @Test
  void aRegionOrAnEndpointIsEnough() {
    for (Map<String, String> enough :
        List.of(
            Map.of("CONVOKE_S3_REGION", "eu-central-1"),
            Map.of("CONVOKE_S3_ENDPOINT", "http://127.0.0.1:9"))) {
      Map<String, String> settings = new HashMap<>(enough);
      settings.put("CONVOKE_BLOB_STORE", "s3://bucket/prefix");
      assertThatCode(() -> RecordingToolsFactory.check(ServerConfig.of(settings)))
          .doesNotThrowAnyException();
    }
  }
}
