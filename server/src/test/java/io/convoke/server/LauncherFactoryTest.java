package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.launch.process.BotUsers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code doctor} learns of the launcher's settings before a server starts with them. */
class LauncherFactoryTest {
  private static final Map<String, String> DOCKER =
      Map.of("CONVOKE_BOT_LAUNCHER", "docker", "CONVOKE_BOT_IMAGE", "bot:1");

  private static final Map<String, String> KUBERNETES =
      Map.of(
          "CONVOKE_BOT_LAUNCHER", "kubernetes",
          "CONVOKE_BOT_IMAGE", "bot:1",
          "CONVOKE_BOT_CALLBACK_URL", "http://convoke",
          "CONVOKE_KUBERNETES_URL", "https://cluster:6443");

  private static final Map<String, String> NOMAD =
      Map.of(
          "CONVOKE_BOT_LAUNCHER", "nomad",
          "CONVOKE_NOMAD_ADDR", "https://nomad:4646",
          "CONVOKE_NOMAD_JOB", "bot");

  private static final String NO_FILE = "/no/such/ca.pem";

  @TempDir private Path data;

  @Test
  void templatesThatAServerRefusesAreFaults() {
    assertThatThrownBy(
            check(DOCKER, "CONVOKE_BOT_DOCKER_TEMPLATE", "{\"Image\": \"x\", \"Env\": \"TZ=UTC\"}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("CONVOKE_BOT_DOCKER_TEMPLATE: Image is not among")
        .hasMessageContaining("CONVOKE_BOT_DOCKER_TEMPLATE: Env is no list");
    assertThatThrownBy(
            check(
                KUBERNETES,
                "CONVOKE_BOT_POD_TEMPLATE",
                "{\"spec\": {\"restartPolicy\": \"Always\"}}"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage("CONVOKE_BOT_POD_TEMPLATE: spec.restartPolicy is Convoke's own");
  }

  @Test
  void certificatesThatCannotBeReadAreFaults() throws Exception {
    assertThatThrownBy(check(NOMAD, "CONVOKE_NOMAD_CA_FILE", NO_FILE))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("CONVOKE_NOMAD_CA_FILE " + NO_FILE + " cannot be read");
    assertThatThrownBy(check(KUBERNETES, "CONVOKE_KUBERNETES_CA_FILE", NO_FILE))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("CONVOKE_KUBERNETES_CA_FILE " + NO_FILE + " cannot be read");
    Path cut = data.resolve("cut.pem");
    Path _ =
        Files.writeString(cut, "-----BEGIN PRIVATE KEY-----\nMIGHA\n-----END PRIVATE KEY-----\n");
    Map<String, String> own = new HashMap<>(NOMAD);
    own.put("CONVOKE_NOMAD_KEY_FILE", cut.toString());
    assertThatThrownBy(check(own, "CONVOKE_NOMAD_CERT_FILE", cut.toString()))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("CONVOKE_NOMAD_CERT_FILE " + cut + " cannot be read");
  }

  @Test
  void usersThatThisProcessCannotBecomeAreAFault() {
    ThrowingCallable users = check(Map.of(), "CONVOKE_BOT_UIDS", "64000-64999");
    if (BotUsers.possible()) {
      assertThatCode(users).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(users)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("CONVOKE_BOT_UIDS needs root");
    }
  }

  @Test
  void whatAServerTakesIsNoFault() {
    assertThatCode(
            check(
                DOCKER,
                "CONVOKE_BOT_DOCKER_TEMPLATE",
                "{\"HostConfig\": {\"ReadonlyRootfs\": false}}"))
        .doesNotThrowAnyException();
    assertThatCode(
            check(KUBERNETES, "CONVOKE_BOT_POD_TEMPLATE", "{\"spec\": {\"nodeSelector\": {}}}"))
        .doesNotThrowAnyException();
    assertThatCode(check(NOMAD, "CONVOKE_NOMAD_TOKEN", "secret")).doesNotThrowAnyException();
    assertThatCode(check(Map.of(), "CONVOKE_BOT_COMMAND", "bot")).doesNotThrowAnyException();
  }

  private ThrowingCallable check(Map<String, String> settings, String name, String value) {
    Map<String, String> all = new HashMap<>(settings);
    all.put(name, value);
    return () -> LauncherFactory.check(ServerConfig.of(all), data);
  }
}
