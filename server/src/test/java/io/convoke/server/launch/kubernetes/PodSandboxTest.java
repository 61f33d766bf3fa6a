package io.convoke.server.launch.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import io.convoke.fakes.orchestrator.kubernetes.FakeKubernetes;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.launch.LaunchException;
import io.convoke.server.launch.Launcher;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What a pod may do, and what an operator's template changes. */
class PodSandboxTest {
  private final FakeKubernetes cluster = new FakeKubernetes(ScriptedBot.SCRIPT);

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void aBotHasNoRightsButItsScratchSpace() {
    JsonNode spec = manifest(Map.of()).path("spec");
    JsonNode bot = spec.path("containers").path(0);
    assertThat(spec.path("automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(spec.path("securityContext").toString())
        .isEqualTo(
            "{\"seccompProfile\":{\"type\":\"RuntimeDefault\"},\"runAsNonRoot\":true,"
                + "\"runAsUser\":65532,\"runAsGroup\":65532}");
    assertThat(bot.path("securityContext").path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(bot.path("resources").path("limits").path("memory").asString())
        .isEqualTo(Long.toString(2L << 30));
    assertThat(
            bot.path("volumeMounts").valueStream().map(each -> each.path("mountPath").asString()))
        .containsExactly("/tmp", "/home/bot", "/dev/shm");
    assertThat(spec.path("volumes").path(2).path("emptyDir").toString())
        .contains("\"Memory\"", "\"1073741824\"");
  }

  @Test
  void aTemplateChangesWhatItNamesAndLeavesTheRest(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("pod.json"),
            """
            {"metadata": {"labels": {"team": "meetings"}},
             "spec": {
               "nodeSelector": {"pool": "bots"},
               "securityContext": {"runAsUser": 1000, "runAsGroup": null},
               "containers": [
                 {"name": "bot", "env": [{"name": "HOME", "value": "/tmp"}, {"name": "TZ", "value": "UTC"}],
                  "volumeMounts": [{"mountPath": "/home/bot", "$patch": "delete"}]},
                 {"name": "sidecar", "image": "proxy:1"}],
               "volumes": [{"name": "shm", "emptyDir": {"sizeLimit": "2Gi"}}]}}
            """);
    JsonNode pod = manifest(Map.of("CONVOKE_BOT_POD_TEMPLATE", file.toString()));
    JsonNode spec = pod.path("spec");
    JsonNode bot = spec.path("containers").path(0);
    assertThat(pod.path("metadata").path("labels").path("team").asString()).isEqualTo("meetings");
    assertThat(pod.path("metadata").path("labels").path("convoke.fleet").asString())
        .isEqualTo("convoke");
    assertThat(spec.path("securityContext").path("runAsUser").asInt()).isEqualTo(1000);
    assertThat(spec.path("securityContext").has("runAsGroup")).isFalse();
    assertThat(spec.path("containers").path(1).path("name").asString()).isEqualTo("sidecar");
    assertThat(bot.path("image").asString()).isEqualTo("registry.example.org/bot:1");
    assertThat(bot.path("env").valueStream().map(each -> each.path("name").asString()))
        .containsExactly("BOT_CONFIG", "HOME", "TZ");
    assertThat(bot.path("env").path(1).path("value").asString()).isEqualTo("/tmp");
    assertThat(
            bot.path("volumeMounts").valueStream().map(each -> each.path("mountPath").asString()))
        .containsExactly("/tmp", "/dev/shm");
    assertThat(spec.path("volumes").path(2).path("emptyDir").toString())
        .contains("\"medium\":\"Memory\"", "\"sizeLimit\":\"2Gi\"");
  }

  @Test
  void aTemplatePlacesPodsAndNamesThePullSecrets() throws Exception {
    Map<String, String> settings =
        Map.of(
            "CONVOKE_BOT_POD_TEMPLATE",
            """
            {"spec": {
              "imagePullSecrets": [{"name": "registry"}],
              "nodeSelector": {"pool": "bots"},
              "tolerations": [{"key": "bots", "operator": "Exists", "effect": "NoSchedule"}],
              "containers": [
                {"name": "bot", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]}}
            """);
    JsonNode spec = manifest(settings).path("spec");
    assertThat(spec.path("imagePullSecrets").toString()).isEqualTo("[{\"name\":\"registry\"}]");
    assertThat(spec.path("nodeSelector").path("pool").asString("")).isEqualTo("bots");
    assertThat(spec.path("tolerations").path(0).path("key").asString("")).isEqualTo("bots");
    JsonNode resources = spec.path("containers").path(0).path("resources");
    assertThat(resources.path("requests").path("cpu").asString("")).isEqualTo("500m");
    assertThat(resources.path("limits").path("memory").asString(""))
        .isEqualTo(Long.toString(2L << 30));
    try (Launcher launcher = launcher(settings)) {
      String _ = launcher.launch(ScriptedBot.POLITE.spec(7));
    }
    assertThat(cluster.complaints()).isEmpty();
  }

  @Test
  void whatATemplatePutsIntoTheEnvironmentIsKnown() {
    String template =
        """
        {"spec": {"containers": [
          {"name": "bot", "env": [
            {"name": "API_KEY", "value": "key-of-the-template"},
            {"name": "OTHER", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "other"}}}]},
          {"name": "agent", "image": "agent:1", "env": [{"name": "TZ", "value": "UTC"}]}]}}
        """;
    try (Launcher launcher = launcher(Map.of("CONVOKE_BOT_POD_TEMPLATE", template));
        Launcher plain = launcher(Map.of())) {
      assertThat(launcher.templateValues()).containsExactly("key-of-the-template");
      assertThat(plain.templateValues()).isEmpty();
    }
  }

  @Test
  void containersAndVolumesAreNamedByDnsLabels() {
    for (String template :
        new String[] {
          "{\"spec\": {\"containers\": [{\"name\": \"my.agent\", \"image\": \"agent:1\"}]}}",
          "{\"spec\": {\"volumes\": [{\"name\": \"my.files\", \"emptyDir\": {}}]}}",
        }) {
      try (Launcher launcher = launcher(Map.of("CONVOKE_BOT_POD_TEMPLATE", template))) {
        assertThatThrownBy(() -> launcher.launch(ScriptedBot.POLITE.spec(8)))
            .as(template)
            .isInstanceOf(LaunchException.class)
            .hasMessageContaining("[].name: Invalid value");
      }
    }
    assertThat(cluster.pods()).isZero();
  }

  @Test
  void whatConvokeOwnsCannotBeChanged() {
    for (String template :
        new String[] {
          "{\"metadata\": {\"name\": \"mine\"}}",
          "{\"metadata\": {\"labels\": {\"convoke.fleet\": \"theirs\"}}}",
          "{\"spec\": {\"restartPolicy\": \"Always\"}}",
          "{\"spec\": {\"containers\": null}}",
          "{\"spec\": {\"containers\": [{\"image\": \"x\"}]}}",
          "{\"spec\": {\"containers\": [{\"name\": \"bot\", \"image\": \"x\"}]}}",
          "{\"spec\": {\"containers\": [{\"name\": \"bot\", \"$patch\": \"delete\"}]}}",
          "{\"spec\": {\"containers\": [{\"name\": \"bot\", \"env\": null}]}}",
          "{\"spec\": {\"containers\": [{\"name\": \"bot\", \"env\": [{\"name\": \"BOT_CONFIG\"}]}]}}",
          "{\"apiVersion\": \"v2\"}",
          "{\"spec\": []}",
          "[]",
          "no-such-file.json",
        }) {
      assertThatThrownBy(() -> manifest(Map.of("CONVOKE_BOT_POD_TEMPLATE", template)))
          .as(template)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("CONVOKE_BOT_POD_TEMPLATE");
    }
  }

  @Test
  void aRestrictedNamespaceTakesOurPodsAndNoneThatATemplateLoosens() throws Exception {
    try (Launcher launcher = launcher(Map.of())) {
      assertThat(launcher.launch(ScriptedBot.POLITE.spec(1))).startsWith("kubernetes:");
    }
    try (Launcher vexa = launcher(Map.of("CONVOKE_BOT_PROTOCOL", "vexa"))) {
      assertThatThrownBy(() -> vexa.launch(ScriptedBot.POLITE.spec(2)))
          .isInstanceOf(LaunchException.class)
          .hasMessageContaining("violates PodSecurity")
          .hasMessageContaining("runAsNonRoot != true")
          .hasMessageNotContaining("allowPrivilegeEscalation");
    }
    assertThat(cluster.pods()).isEqualTo(1);
  }

  @Test
  void vexasImageRunsAsItsOwnUserAndWritesToItsRoot() {
    JsonNode spec = manifest(Map.of("CONVOKE_BOT_PROTOCOL", "vexa")).path("spec");
    assertThat(spec.path("securityContext").toString())
        .isEqualTo("{\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}");
    assertThat(spec.path("containers").path(0).path("securityContext").toString())
        .contains("\"drop\":[\"ALL\"]", "\"allowPrivilegeEscalation\":false")
        .contains("\"readOnlyRootFilesystem\":false");
  }

  private ObjectNode manifest(Map<String, String> settings) {
    return (ObjectNode) Json.tree(PodManifests.pod(terms(settings), ScriptedBot.POLITE.spec(1)));
  }

  private Launcher launcher(Map<String, String> settings) {
    return new KubernetesLauncher(terms(settings), InstantSource.system());
  }

  private KubernetesConfig terms(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("CONVOKE_BOT_LAUNCHER", "kubernetes");
    all.put("CONVOKE_BOT_IMAGE", "registry.example.org/bot:1");
    all.put("CONVOKE_BOT_CALLBACK_URL", "http://convoke.example.org");
    all.put("CONVOKE_KUBERNETES_URL", cluster.url().toString());
    all.put("CONVOKE_KUBERNETES_NAMESPACE", FakeKubernetes.NAMESPACE);
    all.put("CONVOKE_KUBERNETES_TOKEN", FakeKubernetes.TOKEN);
    return KubernetesConfig.of(ServerConfig.of(all));
  }
}
