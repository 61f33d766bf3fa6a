package io.convoke.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.meetings.AllowedMeetingHosts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerConfigTest {
  private static final String KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

  @Test
  void defaultsAreThoseOfTheContract() {
    ServerConfig serverConfig = ServerConfig.of(Map.of());

    assertThat(serverConfig.get(Settings.PORT)).isEqualTo(8080);
    assertThat(serverConfig.get(Settings.HOST)).isEqualTo("127.0.0.1");
    assertThat(serverConfig.get(Settings.DAILY_API_URL)).hasToString("https://api.daily.co/v1");
    assertThat(serverConfig.get(Settings.PRESENCE_COALESCE_WINDOW))
        .isEqualTo(Duration.ofMillis(1500));
    assertThat(serverConfig.get(Settings.PRESENCE_RECONCILE))
        .isEqualTo(Settings.ReconcileSetting.BULK);
    assertThat(serverConfig.get(Settings.BOTS_STARTING_TIMEOUT)).isEqualTo(Duration.ofMinutes(10));
    assertThat(serverConfig.get(BackgroundWorkSettings.LONGPOLL_ENABLED)).isTrue();
    assertThat(serverConfig.get(BackgroundWorkSettings.DISPATCH_LEASE))
        .isEqualTo(Duration.ofSeconds(45));
    assertThat(serverConfig.differences()).isEmpty();
  }

  @Test
  void aShortAdminTokenIsWarnedOfAndNotShown() {
    assertThat(ServerConfig.of(Map.of()).warnings()).isEmpty();
    assertThat(ServerConfig.of(Map.of("CONVOKE_ADMIN_TOKEN", "x".repeat(32))).warnings()).isEmpty();
    assertThat(ServerConfig.of(Map.of("CONVOKE_ADMIN_TOKEN", "hunter2")).warnings())
        .singleElement()
        .asString()
        .contains("CONVOKE_ADMIN_TOKEN", "32")
        .doesNotContain("hunter2");
  }

  @Test
  void quotasAreNumbersOrUnlimited() {
    ServerConfig config =
        ServerConfig.of(Map.of("CONVOKE_QUOTA_TASKS", "0", "CONVOKE_QUOTA_STORED_BYTES", "500g"));
    assertThat(config.get(Settings.QUOTA_TASKS)).isZero();
    assertThat(config.get(Settings.QUOTA_STORED_BYTES)).isEqualTo(500L << 30);
    assertThat(config.get(Settings.QUOTA_MEETINGS)).isEqualTo(10_000);
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_QUOTA_TASKS", "-1")))
        .isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void usersOfBotsAreARangeWithoutRoot() {
    assertThat(ServerConfig.of(Map.of("CONVOKE_BOT_UIDS", "64000-64999")).get(Settings.BOT_UIDS))
        .contains(new UserIds(64_000, 64_999));
    for (String wrong : List.of("0-10", "64000", "64001-64000", "-1-5", "a-b", "1-9999999999")) {
      assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_BOT_UIDS", wrong)))
          .as(wrong)
          .hasMessageContaining("CONVOKE_BOT_UIDS must be a range of user ids without root");
    }
  }

  @Test
  void everyFaultIsNamedAtOnceAndNoSecretIsShown() {
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of(
                        "CONVOKE_PORT", "eighty",
                        "CONVOKE_SECRET_KEY", "hunter2!",
                        "CONVOKE_BOT_LAUNCHER", "magic",
                        "CONVOKE_PROT", "1")))
        .isInstanceOfSatisfying(
            InvalidConfigException.class,
            invalid ->
                assertThat(invalid.faults())
                    .containsExactlyInAnyOrder(
                        "CONVOKE_PORT must be a number from 0 to 65535, not \"eighty\"",
                        "CONVOKE_SECRET_KEY must be base64",
                        "CONVOKE_BOT_LAUNCHER must be one of [process, docker, nomad, kubernetes],"
                            + " not \"magic\"",
                        "unknown setting CONVOKE_PROT"));
  }

  @Test
  void theListenerHasAnAddressAndProxiesHaveOnesToo() {
    for (String wrong : List.of("", "x y", "http://a")) {
      assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_HOST", wrong)))
          .hasMessage(
              "CONVOKE_HOST must be an address such as 0.0.0.0, or a name of this machine, not"
                  + " \"%s\"",
              wrong);
    }
    for (String right : List.of("0.0.0.0", "::1", "[::]", "fe80::1%eth0", "my_host.local")) {
      assertThat(ServerConfig.of(Map.of("CONVOKE_HOST", right)).get(Settings.HOST))
          .isEqualTo(right);
    }
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_TRUSTED_PROXIES", "10.0.0.0/33")))
        .hasMessage(
            "CONVOKE_TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, not"
                + " \"10.0.0.0/33\"");
  }

  @Test
  void hostsOfMeetingsAreNamesWithAPortOrAllBelowADomain() {
    AllowedMeetingHosts hosts =
        ServerConfig.of(Map.of("CONVOKE_MEETING_HOSTS", "127.0.0.1:8090, *.Example.org,[::1]"))
            .get(Settings.MEETING_HOSTS);
    assertThat(hosts.allows("daily", "http://127.0.0.1:8090/rooms/a")).isTrue();
    for (String wrong :
        List.of(
            "http://a", "a/b", "*", "*.", "a b", "a,,b", ",", "a:0", "a:65536", "a:", "-a", "[")) {
      assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_MEETING_HOSTS", wrong)))
          .as(wrong)
          .isInstanceOfSatisfying(
              InvalidConfigException.class,
              invalid ->
                  assertThat(invalid.faults())
                      .singleElement()
                      .asString()
                      .startsWith("CONVOKE_MEETING_HOSTS must be hosts like"));
    }
  }

  @Test
  void impossibleCombinationsAreFaults() {
    assertThatThrownBy(
            () -> ServerConfig.of(Map.of("CONVOKE_DATABASE_URL", "postgresql://a:b@c/d")))
        .hasMessageContaining("CONVOKE_REDIS_URL")
        .hasMessageContaining("CONVOKE_SECRET_KEY is missing");
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of("CONVOKE_DATABASE_URL", "postgresql://a:b@c/d?pool_mode=transaction")))
        .hasMessageContaining("CONVOKE_LISTEN_DATABASE_URL must be a way past the pooler");
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_DATABASE_URL", "mysql://a:s3@c/d")))
        .hasMessageContaining("CONVOKE_DATABASE_URL: not a URL")
        .hasMessageNotContaining("s3");
    assertThatThrownBy(() -> ServerConfig.of(Map.of("CONVOKE_BOT_LAUNCHER", "docker")))
        .hasMessageContaining("CONVOKE_BOT_IMAGE is missing");
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of(
                        "CONVOKE_JWT_SECRET", "0123456789012345678901234567890123",
                        "CONVOKE_JWKS_URL", "https://example.org/keys")))
        .hasMessageContaining("exclude each other");
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of("CONVOKE_DAILY_WEBHOOK_URL", "https://example.org/webhooks/daily")))
        .hasMessageContaining("needs CONVOKE_DAILY_API_KEY and CONVOKE_DAILY_WEBHOOK_SECRET");
  }

  @Test
  void whatAServerCouldNotUseIsAFaultBeforeItStarts() {
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of(
                        "CONVOKE_TRANSCRIBER", "whisperlive:ws://whisper:9090?session=5",
                        "CONVOKE_SUMMARIZER", "openai:http://chat:8000?model=m&max_tokens=many",
                        "CONVOKE_BLOB_STORE", "gs://recordings",
                        "CONVOKE_DAILY_TRACKS", "s3:tracks")))
        .isInstanceOfSatisfying(
            InvalidConfigException.class,
            invalid ->
                assertThat(invalid.faults())
                    .containsExactlyInAnyOrder(
                        "CONVOKE_TRANSCRIBER must be a transcriber whose session is a number of"
                            + " seconds from 30 on, not"
                            + " \"whisperlive:ws://whisper:9090?session=5\"",
                        "CONVOKE_SUMMARIZER must be a summarizer whose max_tokens is a number from"
                            + " 1 on, not \"openai:http://chat:8000?model=m&max_tokens=many\"",
                        "CONVOKE_BLOB_STORE must be a folder, file: and a folder, or"
                            + " s3://bucket/prefix, not \"gs://recordings\"",
                        "CONVOKE_DAILY_TRACKS must be s3://bucket or https://..., not"
                            + " \"s3:tracks\""));
    for (String name : List.of("CONVOKE_S3_ACCESS_KEY", "CONVOKE_S3_SECRET_KEY")) {
      assertThatThrownBy(() -> ServerConfig.of(Map.of(name, "half-a-pair")))
          .hasMessage("CONVOKE_S3_ACCESS_KEY and CONVOKE_S3_SECRET_KEY need each other");
    }
  }

  /** Java's client refuses each request to an address in which it finds no host. */
  @Test
  void addressesThatAServerCallsHaveAHost() {
    for (String name :
        List.of(
            "CONVOKE_DAILY_API_URL",
            "CONVOKE_JANUS_ADMIN_URL",
            "CONVOKE_JANUS_URL",
            "CONVOKE_NOMAD_ADDR",
            "CONVOKE_KUBERNETES_URL",
            "CONVOKE_OIDC_ISSUER",
            "CONVOKE_S3_ENDPOINT",
            "CONVOKE_CRM_URL",
            "CONVOKE_TRACES_URL",
            "CONVOKE_SIM_URL")) {
      for (String wrong : List.of("http://my_service:8088/api", "https:/service/api")) {
        assertThatThrownBy(() -> ServerConfig.each(Map.of(name, wrong)))
            .hasMessage(
                "%s must be a URL whose host is an address, or a name of letters, digits, dots and"
                    + " dashes, not \"%s\"",
                name, wrong);
      }
    }
    // Bots and browsers may be of another mind, and the library that reads keys is.
    for (Setting<Optional<URI>> other : List.of(Settings.BOT_CALLBACK_URL, Settings.JWKS_URL)) {
      assertThat(ServerConfig.each(Map.of(other.name(), "http://my_server:8080")).get(other))
          .isPresent();
    }
  }

  @Test
  void botsThatAreElsewhereNeedAnAddressToCallBack() {
    Map<String, String> kubernetes =
        Map.of(
            "CONVOKE_BOT_LAUNCHER", "kubernetes",
            "CONVOKE_BOT_IMAGE", "bot:1",
            "CONVOKE_HOST", "0.0.0.0");
    assertThatThrownBy(() -> ServerConfig.of(kubernetes))
        .isInstanceOfSatisfying(
            InvalidConfigException.class,
            invalid ->
                assertThat(invalid.faults())
                    .singleElement()
                    .asString()
                    .startsWith("CONVOKE_BOT_CALLBACK_URL is missing"));
    assertThat(warnings(kubernetes, "CONVOKE_HOST", "10.0.0.7")).isEmpty();
    // A sidecar of the bot's pod may take its calls.
    assertThat(warnings(kubernetes, "CONVOKE_BOT_CALLBACK_URL", "http://127.0.0.1:9")).isEmpty();

    Map<String, String> docker =
        Map.of("CONVOKE_BOT_LAUNCHER", "docker", "CONVOKE_BOT_IMAGE", "bot:1");
    assertThat(warnings(docker, "CONVOKE_DOCKER_NETWORK", "bots"))
        .singleElement()
        .asString()
        .startsWith("CONVOKE_BOT_CALLBACK_URL is missing");
    assertThat(warnings(docker, "CONVOKE_DOCKER_NETWORK", "host")).isEmpty();
    assertThat(warnings(docker, "CONVOKE_BOT_CALLBACK_URL", "http://convoke:8080")).isEmpty();
    assertThat(warnings(Map.of(), "CONVOKE_BOT_LAUNCHER", "process")).isEmpty();
  }

  @Test
  void anOwnerInNoAccountOfTheServersIsWarnedOf() {
    Map<String, String> hubSpot =
        Map.of("CONVOKE_CRM_KIND", "hubspot", "CONVOKE_CRM_URL", "https://api.hubapi.com");
    assertThat(warnings(hubSpot, "CONVOKE_CRM_OWNER", "sales@example.org"))
        .singleElement()
        .asString()
        .startsWith("CONVOKE_CRM_OWNER has no effect without CONVOKE_CRM_SECRET");
    assertThat(warnings(hubSpot, "CONVOKE_CRM_SECRET", "a-token")).isEmpty();
    Map<String, String> owned = new HashMap<>(hubSpot);
    owned.put("CONVOKE_CRM_OWNER", "sales@example.org");
    assertThat(warnings(owned, "CONVOKE_CRM_SECRET", "a-token")).isEmpty();
    assertThat(warnings(owned, "CONVOKE_CRM_KIND", "generic")).isEmpty();
  }

  private static List<String> warnings(Map<String, String> settings, String name, String value) {
    Map<String, String> all = new HashMap<>(settings);
    all.put(name, value);
    return ServerConfig.of(all).warnings();
  }

  @Test
  void tasksMayBeOnAClusterAndTheServerMayNot() {
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of(
                        "CONVOKE_DATABASE_URL", "postgresql://db/convoke",
                        "CONVOKE_SECRET_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                        "CONVOKE_REDIS_URL", "redis-cluster://:s3cret@h1:6379,h2:6379/")))
        .hasMessageContaining("presence does not work")
        .hasMessageContaining("CONVOKE_DISPATCH_REDIS_URL")
        .hasMessageNotContaining("s3cret");
    assertThat(
            ServerConfig.of(
                    Map.of("CONVOKE_DISPATCH_REDIS_URL", "redis-cluster://:s3cret@h1:6379,h2:6379"))
                .get(BackgroundWorkSettings.DISPATCH_REDIS_URL)
                .orElseThrow()
                .toString())
        .isEqualTo("redis-cluster://:s3cret@h1:6379,h2:6379");
  }

  @Test
  void limitsAndLabelsOfBotsAreReadAndFaultsAreNamed() {
    ServerConfig serverConfig =
        ServerConfig.of(
            Map.of(
                "CONVOKE_BOT_MEMORY", "512m",
                "CONVOKE_BOT_CPUS", "0.5",
                "CONVOKE_BOT_FLEET", "team-a"));
    assertThat(serverConfig.get(Settings.BOT_MEMORY)).contains(512L << 20);
    assertThat(serverConfig.get(Settings.BOT_CPUS)).contains(0.5);
    assertThatThrownBy(
            () ->
                ServerConfig.of(
                    Map.of(
                        "CONVOKE_BOT_MEMORY", "much",
                        "CONVOKE_BOT_CPUS", "0",
                        "CONVOKE_BOT_FLEET", "-team",
                        "CONVOKE_DOCKER_HOST", "ssh://elsewhere")))
        .isInstanceOfSatisfying(
            InvalidConfigException.class, invalid -> assertThat(invalid.faults()).hasSize(4));
  }

  @Test
  void theEnvironmentWinsOverTheFile(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("convoke.yaml");
    Files.writeString(
        file,
        """
        port: 9000
        presence:
          reconcile-interval: 10s
        bots.heartbeat-interval: 5s
        host: 0.0.0.0
        """);

    ServerConfig serverConfig =
        ServerConfig.of(
            ConfigFile.read(
                file,
                Map.of("CONVOKE_PORT", "9001", "PATH", "/bin", "CONVOKE_JAVA_OPTS", "-Xmx1g")));

    assertThat(serverConfig.get(Settings.PORT)).isEqualTo(9001);
    assertThat(serverConfig.get(Settings.HOST)).isEqualTo("0.0.0.0");
    assertThat(serverConfig.get(Settings.PRESENCE_RECONCILE_INTERVAL))
        .isEqualTo(Duration.ofSeconds(10));
    assertThat(serverConfig.get(Settings.BOTS_HEARTBEAT_INTERVAL)).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aShellInWhichClientsAndPodsRunMayStartAServer(@TempDir Path folder) {
    Map<String, String> environment =
        Map.of(
            "CONVOKE_URL", "http://localhost:8080",
            "CONVOKE_API_KEY", "cvk_x",
            "CONVOKE_POD_KEY", "a-key",
            "CONVOKE_EGRESS_HOST", "10.0.0.9",
            "CONVOKE_URLS", "a misspelling");
    assertThat(ConfigFile.read(folder.resolve("none.yaml"), environment))
        .containsOnlyKeys("CONVOKE_URLS");
  }

  @Test
  void aFileThatIsNoMapOfTextsIsAFault(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("convoke.yaml");
    Files.writeString(file, "port: [1, 2]\n");
    assertThatThrownBy(() -> ConfigFile.read(file, Map.of()))
        .isInstanceOf(InvalidConfigException.class);
    for (String nameless : List.of("- port: 9000\n", "port=9000\n")) {
      Files.writeString(file, nameless);
      assertThatThrownBy(() -> ConfigFile.read(file, Map.of()))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessage(file + " must have settings by their names, such as port: 9000");
    }
    Files.writeString(file, "");
    assertThat(ConfigFile.read(file, Map.of())).isEmpty();
    Files.writeString(file, "a: b: c\n");
    assertThatThrownBy(() -> ConfigFile.read(file, Map.of()))
        .isInstanceOf(InvalidConfigException.class);
  }

  @Test
  void differencesHideSecrets() {
    Map<String, String> texts = new HashMap<>();
    texts.put("CONVOKE_PORT", "1");
    texts.put("CONVOKE_SECRET_KEY", KEY);
    assertThat(ServerConfig.of(texts).differences())
        .containsExactlyInAnyOrder("CONVOKE_PORT=1", "CONVOKE_SECRET_KEY=***");
  }

  @Test
  void theDocumentedTableIsTheList() throws IOException {
    String table =
        Settings.all().stream().map(ServerConfigTest::line).collect(Collectors.joining("\n"));
    String documented = Files.readString(Path.of("../docs/reference/configuration.md"));
    assertThat(documented)
        .as("docs/reference/configuration.md must hold this table:%n%s", table)
        .contains(table);
  }

  private static String line(Setting<?> setting) {
    List<String> cells =
        List.of(
            "`" + setting.name() + "`",
            setting.fallback().isEmpty() ? "none" : "`" + setting.fallback() + "`",
            setting.meaning());
    return "| " + String.join(" | ", cells) + " |";
  }
}
