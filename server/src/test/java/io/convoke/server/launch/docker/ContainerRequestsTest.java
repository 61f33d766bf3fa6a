package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.launch.ScriptedBot;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the engine is sent, and what an operator's template changes of it. */
class ContainerRequestsTest {
  @Test
  void aContainerIsConfinedUnlessATemplateSaysOtherwise() {
    JsonNode request = request(Map.of());
    assertThat(request.path("User").asString()).isEqualTo("65532:65532");
    JsonNode host = request.path("HostConfig");
    assertThat(host.path("CapDrop").toString()).isEqualTo("[\"ALL\"]");
    assertThat(host.path("SecurityOpt").toString()).isEqualTo("[\"no-new-privileges:true\"]");
    assertThat(host.path("ReadonlyRootfs").asBoolean()).isTrue();
    assertThat(host.path("PidsLimit").asInt()).isEqualTo(1024);
    assertThat(host.path("ShmSize").asLong()).isEqualTo(1L << 30);
    assertThat(host.path("Memory").asLong()).isEqualTo(2L << 30);
    assertThat(host.path("MemorySwap").asLong()).isEqualTo(2L << 30);
    assertThat(request(Map.of("CONVOKE_BOT_MEMORY", "0")).path("HostConfig").has("Memory"))
        .isFalse();
  }

  @Test
  void aTemplateIsMergedAndItsVariablesAreAdded() {
    JsonNode request =
        request(
            Map.of(
                "CONVOKE_BOT_DOCKER_TEMPLATE",
                """
                {"User": null, "Labels": {"team": "meetings"}, "Env": ["TZ=UTC", "HOME=/data"],
                 "HostConfig": {"ReadonlyRootfs": false, "SecurityOpt": ["seccomp=unconfined"],
                                "Tmpfs": {"/run": "size=1m"}}}
                """));
    assertThat(request.has("User")).isFalse();
    assertThat(request.path("Labels").path("team").asString()).isEqualTo("meetings");
    assertThat(request.path("Labels").path("convoke.fleet").asString()).isEqualTo("convoke");
    assertThat(request.path("Env").valueStream().map(JsonNode::asString))
        .contains("TZ=UTC", "HOME=/data")
        .doesNotContain("HOME=/home/bot")
        .anyMatch(variable -> variable.startsWith("BOT_CONFIG={"));
    JsonNode host = request.path("HostConfig");
    assertThat(host.path("SecurityOpt").toString()).isEqualTo("[\"seccomp=unconfined\"]");
    assertThat(host.path("CapDrop").toString()).isEqualTo("[\"ALL\"]");
    assertThat(host.path("Tmpfs").propertyNames()).contains("/tmp", "/home/bot", "/run");
  }

  @Test
  void whatATemplatePutsIntoTheEnvironmentIsKnown() {
    Map<String, String> template =
        Map.of("CONVOKE_BOT_DOCKER_TEMPLATE", "{\"Env\": [\"API_KEY=a=b\", \"TZ=UTC\"]}");
    try (DockerLauncher launcher = new DockerLauncher(terms(template), InstantSource.system());
        DockerLauncher plain = new DockerLauncher(terms(Map.of()), InstantSource.system())) {
      assertThat(launcher.templateValues()).containsExactly("a=b", "UTC");
      assertThat(plain.templateValues()).isEmpty();
    }
  }

  @Test
  void whatConvokeOwnsCannotBeChangedInWhateverCase() {
    for (String template :
        new String[] {
          "{\"Image\": \"x\"}",
          "{\"image\": \"x\"}",
          "{\"hostconfig\": {\"Privileged\": true}}",
          "{\"Labels\": {\"convoke.fleet\": \"theirs\"}}",
          "{\"Labels\": null}",
          "{\"Env\": [\"BOT_CONFIG={}\"]}",
          "{\"Env\": [\"BOT_CONFIG\"]}",
          "{\"Env\": \"TZ=UTC\"}",
          "{\"HostConfig\": {\"AutoRemove\": true}}",
          "{\"HostConfig\": {\"restartPolicy\": {\"Name\": \"always\"}}}",
          "{\"HostConfig\": {\"memory\": 1}}",
          "{\"HostConfig\": null}",
          "{\"HostConfig\": {\"Memory\": 1}",
        }) {
      assertThatThrownBy(() -> request(Map.of("CONVOKE_BOT_DOCKER_TEMPLATE", template)))
          .as(template)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("CONVOKE_BOT_DOCKER_TEMPLATE");
    }
  }

  private static JsonNode request(Map<String, String> settings) {
    return ContainerRequests.create(ScriptedBot.POLITE.spec(1), terms(settings));
  }

  private static DockerConfig terms(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_BOT_LAUNCHER", "docker");
    all.put("CONVOKE_BOT_IMAGE", "bot:1");
    return DockerConfig.of(ServerConfig.of(all));
  }
}
