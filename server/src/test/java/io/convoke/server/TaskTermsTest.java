package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.dispatch.DispatchFeature;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The configuration of tasks without settings (docs/spec/dispatch.md), and with them. */
class TaskTermsTest {
  @Test
  void theSpecificationsNumbersAreTheDefault() {
    DispatchFeature.DispatchFeatureConfig dispatchFeatureConfig =
        DispatchFeature.DispatchFeatureConfig.of(ServerConfig.of(Map.of()));

    assertThat(dispatchFeatureConfig.dispatch()).isEqualTo(DispatchConfig.seed());
    assertThat(dispatchFeatureConfig.dispatch().taskTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(dispatchFeatureConfig.dispatch().lease()).isEqualTo(Duration.ofSeconds(45));
    assertThat(dispatchFeatureConfig.dispatch().maxAttempts()).isEqualTo(5);
    assertThat(dispatchFeatureConfig.dispatch().overflowAfter()).isEqualTo(Duration.ofSeconds(10));
    assertThat(dispatchFeatureConfig.durable()).isTrue();
    assertThat(dispatchFeatureConfig.kept()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void settingsChangeThem() {
    DispatchFeature.DispatchFeatureConfig dispatchFeatureConfig =
        DispatchFeature.DispatchFeatureConfig.of(
            ServerConfig.of(
                Map.of(
                    "CONVOKE_DISPATCH_TASK_TIMEOUT", "2s",
                    "CONVOKE_DISPATCH_LEASE", "3s",
                    "CONVOKE_DISPATCH_DEAD_AFTER", "2s",
                    "CONVOKE_DISPATCH_MAX_ATTEMPTS", "1",
                    "CONVOKE_DISPATCH_OVERFLOW_AFTER", "0s",
                    "CONVOKE_DISPATCH_LEDGER", "none")));

    assertThat(dispatchFeatureConfig.dispatch())
        .isEqualTo(
            DispatchConfig.of(Duration.ofSeconds(2), Duration.ofSeconds(3), 1, Duration.ZERO)
                .deadAfter(Optional.of(Duration.ofSeconds(2))));
    assertThat(dispatchFeatureConfig.durable()).isFalse();
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_DISPATCH_LEASE", "500ms")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("CONVOKE_DISPATCH_LEASE must be a duration of 1s at least");
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_DISPATCH_DEAD_AFTER", "46s")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("CONVOKE_DISPATCH_DEAD_AFTER is longer than CONVOKE_DISPATCH_LEASE");
  }
}
