package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** The environment of a pod: two variables, and dispatch settings that differ from the defaults. */
class PodSettingsTest {
  private static final String KEY = Base64.getEncoder().encodeToString(SecretBox.newKey());
  private static final Map<String, String> ENOUGH =
      Map.of("CONVOKE_REDIS_URL", "redis://:secret@redis:6379", "CONVOKE_SECRET_KEY", KEY);
  private static final Pattern DISPATCH = Pattern.compile("CONVOKE_DISPATCH_[A-Z_]+");

  @Test
  void twoVariablesAreEnough() {
    PodSettings settings = PodSettings.read(ENOUGH);
    assertThat(settings.redisUrl()).isEqualTo("redis://:secret@redis:6379");
    assertThat(settings.config()).isEqualTo(DispatchConfig.seed());
  }

  @Test
  void theRedisOfTasksComesBeforeTheServersOther() {
    Map<String, String> environment = new HashMap<>(ENOUGH);
    environment.put("CONVOKE_DISPATCH_REDIS_URL", "");
    assertThat(PodSettings.read(environment).redisUrl()).isEqualTo("redis://:secret@redis:6379");
    environment.put("CONVOKE_DISPATCH_REDIS_URL", "redis-cluster://:secret@h1:6379,h2:6379");
    assertThat(PodSettings.read(environment).redisUrl())
        .isEqualTo("redis-cluster://:secret@h1:6379,h2:6379");
    environment.remove("CONVOKE_REDIS_URL");
    assertThat(PodSettings.read(environment).redisUrl())
        .isEqualTo("redis-cluster://:secret@h1:6379,h2:6379");
    for (String url : List.of("http://:secret@h", "redis://:secret@h:99999", "redis://h/x")) {
      environment.put("CONVOKE_DISPATCH_REDIS_URL", url);
      assertThatThrownBy(() -> PodSettings.read(environment))
          .as(url)
          .isInstanceOf(UsageException.class)
          .hasMessageStartingWith("CONVOKE_DISPATCH_REDIS_URL must be redis://")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void theTermsAreTheServers() {
    Map<String, String> environment = new HashMap<>(ENOUGH);
    environment.put("CONVOKE_DISPATCH_LEASE", "12s");
    environment.put("CONVOKE_DISPATCH_DEAD_AFTER", "6s");
    environment.put("CONVOKE_DISPATCH_MAX_ATTEMPTS", "2");
    environment.put("CONVOKE_DATABASE_URL", "none of a pod's business");
    assertThat(PodSettings.read(environment).config())
        .isEqualTo(
            DispatchConfig.of(
                    Duration.ofSeconds(30), Duration.ofSeconds(12), 2, Duration.ofSeconds(10))
                .deadAfter(Optional.of(Duration.ofSeconds(6))));
    environment.put("CONVOKE_DISPATCH_DEAD_AFTER", "13s");
    assertThatThrownBy(() -> PodSettings.read(environment))
        .hasMessageContaining("CONVOKE_DISPATCH_DEAD_AFTER is longer than CONVOKE_DISPATCH_LEASE");
  }

  @Test
  void whatServersAloneApplyIsNotRead() {
    Map<String, String> environment = new HashMap<>(ENOUGH);
    environment.put("CONVOKE_DISPATCH_OVERFLOW_AFTER", "0s");
    environment.put("CONVOKE_DISPATCH_TASK_TIMEOUT", "2m");
    assertThat(PodSettings.read(environment).config()).isEqualTo(DispatchConfig.seed());
  }

  @Test
  void theTableOfSettingsTellsWhatPodsNeedToo() throws IOException {
    List<String> told =
        Files.readAllLines(Path.of("../docs/reference/configuration.md")).stream()
            .filter(line -> line.contains("; pods need the same"))
            .flatMap(line -> DISPATCH.matcher(line).results().limit(1))
            .map(MatchResult::group)
            .toList();
    String reader =
        Files.readString(Path.of("src/main/java/io/convoke/agent/pod/PodSettings.java"));
    assertThat(DISPATCH.matcher(reader).results().map(MatchResult::group).distinct())
        .containsExactlyInAnyOrderElementsOf(told);
  }

  @Test
  void theKeyForPodsIsEnoughAndComesFirst() {
    SecretBox server = SecretBox.parse(KEY);
    ObjectNode sealed =
        new AccessTokenSealer(server).seal((ObjectNode) Json.read("{\"access_token\": \"t\"}"));
    Map<String, String> environment = new HashMap<>(ENOUGH);
    environment.remove("CONVOKE_SECRET_KEY");
    environment.put("CONVOKE_POD_KEY", AccessTokenSealer.forPods(server).text());
    assertThat(PodSettings.read(environment).tokens().open(sealed).toString()).contains("\"t\"");
    environment.put("CONVOKE_SECRET_KEY", "not read");
    assertThat(PodSettings.read(environment).tokens().open(sealed).toString()).contains("\"t\"");
    environment.put("CONVOKE_POD_KEY", "secret");
    assertThatThrownBy(() -> PodSettings.read(environment))
        .hasMessage("CONVOKE_POD_KEY must be what `convoke pod-key` prints");
  }

  @Test
  void everyFaultIsOneLineWithoutASecret() {
    assertThatThrownBy(
            () ->
                PodSettings.read(
                    Map.of(
                        "CONVOKE_REDIS_URL",
                        "http://:secret@here",
                        "CONVOKE_SECRET_KEY",
                        "secret",
                        "CONVOKE_DISPATCH_LEASE",
                        "soon",
                        "CONVOKE_DISPATCH_MAX_ATTEMPTS",
                        "0")))
        .isInstanceOf(UsageException.class)
        .message()
        .hasLineCount(4)
        .contains("CONVOKE_SECRET_KEY")
        .doesNotContain("secret@");
    assertThatThrownBy(() -> PodSettings.read(Map.of())).hasMessageContaining("is missing");
  }
}
