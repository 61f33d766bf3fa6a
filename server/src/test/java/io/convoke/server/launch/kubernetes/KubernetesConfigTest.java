package io.convoke.server.launch.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access to the API server: from settings, else from the service account of the pod. */
class KubernetesConfigTest {
  private static final Map<String, String> POD =
      Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443");

  @TempDir Path account;

  @Test
  void inAClusterTheServiceAccountIsEnough() throws IOException {
    Files.writeString(account.resolve("token"), "first\n");
    Files.writeString(account.resolve("namespace"), "meetings\n");
    KubernetesConfig terms = KubernetesConfig.of(config(Map.of()), POD, account);
    assertThat(terms.server()).hasToString("https://10.0.0.1:443");
    assertThat(terms.namespace()).isEqualTo("meetings");
    assertThat(terms.token().get()).contains("first");
    Files.writeString(account.resolve("token"), "renewed");
    assertThat(terms.token().get()).as("read again").contains("renewed");
    assertThat(terms.trust()).isEmpty();
  }

  @Test
  void settingsComeFirst() throws IOException {
    Files.writeString(account.resolve("token"), "of-the-account");
    KubernetesConfig terms =
        KubernetesConfig.of(
            config(
                Map.of(
                    "CONVOKE_KUBERNETES_URL", "https://k8s.example.org:6443",
                    "CONVOKE_KUBERNETES_NAMESPACE", "bots",
                    "CONVOKE_KUBERNETES_TOKEN", "mine")),
            POD,
            account);
    assertThat(terms.server()).hasToString("https://k8s.example.org:6443");
    assertThat(terms.namespace()).isEqualTo("bots");
    assertThat(terms.token().get()).contains("mine");
    assertThat(terms.toString()).doesNotContain("mine");
  }

  @Test
  void aMissingServerOrABrokenAuthorityIsAnInvalidConfiguration() throws IOException {
    assertThatThrownBy(() -> KubernetesConfig.of(config(Map.of()), Map.of(), account))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("CONVOKE_KUBERNETES_URL is missing");
    Path broken = Files.writeString(account.resolve("broken.pem"), "no certificate");
    assertThatThrownBy(
            () ->
                KubernetesConfig.of(
                    config(Map.of("CONVOKE_KUBERNETES_CA_FILE", broken.toString())), POD, account))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("broken.pem cannot be read");
  }

  private static ServerConfig config(Map<String, String> more) {
    Map<String, String> texts = new java.util.HashMap<>(more);
    texts.put("CONVOKE_BOT_LAUNCHER", "kubernetes");
    texts.put("CONVOKE_BOT_IMAGE", "registry.example.org/bot:1");
    texts.put("CONVOKE_BOT_CALLBACK_URL", "http://convoke.example.org");
    return ServerConfig.of(texts);
  }
}
