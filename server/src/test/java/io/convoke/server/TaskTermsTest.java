package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.dispatch.DispatchTerms;
import io.convoke.server.config.Config;
import io.convoke.server.config.InvalidConfig;
import io.convoke.server.dispatch.TaskDispatch;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What holds for tasks without settings is what seed 004 says. */
class TaskTermsTest {
  @Test
  void theSeedsNumbersAreTheDefault() {
    TaskDispatch.Terms terms = Terms.dispatch(Config.of(Map.of()));

    assertThat(terms.dispatch()).isEqualTo(DispatchTerms.seed());
    assertThat(terms.dispatch().taskTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(terms.dispatch().lease()).isEqualTo(Duration.ofSeconds(45));
    assertThat(terms.dispatch().maxAttempts()).isEqualTo(5);
    assertThat(terms.dispatch().overflowAfter()).isEqualTo(Duration.ofSeconds(10));
    assertThat(terms.remembers()).isTrue();
    assertThat(terms.kept()).isEqualTo(Duration.ofDays(30));
  }

  @Test
  void settingsChangeThem() {
    TaskDispatch.Terms terms =
        Terms.dispatch(
            Config.of(
                Map.of(
                    "CONVOKE_DISPATCH_TASK_TIMEOUT", "2s",
                    "CONVOKE_DISPATCH_LEASE", "3s",
                    "CONVOKE_DISPATCH_DEAD_AFTER", "2s",
                    "CONVOKE_DISPATCH_MAX_ATTEMPTS", "1",
                    "CONVOKE_DISPATCH_OVERFLOW_AFTER", "0s",
                    "CONVOKE_DISPATCH_LEDGER", "none")));

    assertThat(terms.dispatch())
        .isEqualTo(
            DispatchTerms.of(Duration.ofSeconds(2), Duration.ofSeconds(3), 1, Duration.ZERO)
                .deadAfter(Optional.of(Duration.ofSeconds(2))));
    assertThat(terms.remembers()).isFalse();
    assertThatThrownBy(() -> Config.of(Map.of("CONVOKE_DISPATCH_LEASE", "500ms")))
        .isInstanceOf(InvalidConfig.class)
        .hasMessageContaining("CONVOKE_DISPATCH_LEASE must be a duration of 1s at least");
    assertThatThrownBy(() -> Config.of(Map.of("CONVOKE_DISPATCH_DEAD_AFTER", "46s")))
        .isInstanceOf(InvalidConfig.class)
        .hasMessageContaining("CONVOKE_DISPATCH_DEAD_AFTER is longer than CONVOKE_DISPATCH_LEASE");
  }
}
