package io.convoke.agent.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.agent.pod.UsageException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of egress, read by a pod. */
class EgressConfigTest {
  private static EgressConfig read(String adminUrl) {
    return EgressConfig.read(
        Map.of(
            "CONVOKE_JANUS_ADMIN_URL",
            adminUrl,
            "CONVOKE_JANUS_ADMIN_SECRET",
            "secret",
            "CONVOKE_JANUS_ADMIN_KEY",
            "key"));
  }

  @Test
  void theAddressOfTheAdminApi() {
    assertThat(read("http://janus:7088/admin").adminUrl()).hasToString("http://janus:7088/admin");
  }

  /** With such an address each task would fail, as Java's HTTP client calls none of them. */
  @ParameterizedTest
  @ValueSource(strings = {"", "janus:7088", "http://my_janus:7088/admin", "http://janus:7088/{x}"})
  void anAddressThatCannotBeCalledIsRefused(String url) {
    assertThatThrownBy(() -> read(url))
        .isInstanceOf(UsageException.class)
        .hasMessageStartingWith("CONVOKE_JANUS_ADMIN_URL must be a URL");
  }
}
