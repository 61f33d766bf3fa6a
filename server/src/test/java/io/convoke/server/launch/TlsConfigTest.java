package io.convoke.server.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.convoke.server.config.InvalidConfigException;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that asks for certificates, as Nomad does with {@code verify_https_client}. */
@Tag("nightly")
class TlsConfigTest {
  @TempDir private static Path folder;
  private HttpsServer server;

  @BeforeAll
  static void makeCertificates() throws Exception {
    TestCertificate.make(folder, "server");
    TestCertificate.make(folder, "client");
  }

  @BeforeEach
  void open() throws Exception {
    SSLContext context =
        TlsConfig.context(
                config("client", "server"),
                Settings.NOMAD_CA_FILE,
                Settings.NOMAD_CERT_FILE,
                Settings.NOMAD_KEY_FILE)
            .orElseThrow();
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = context.getDefaultSSLParameters();
            wanted.setNeedClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  @Test
  void anAuthorityAndACertificateOfOurOwnAreUsed() {
    assertThat(status(trust(config("server", "client")))).isEqualTo(200);
  }

  @Test
  void withoutThemTheServerIsOutOfReach() {
    assertThatThrownBy(() -> status(Optional.empty())).isInstanceOf(LauncherUnavailable.class);
    assertThatThrownBy(() -> status(trust(authority("server"))))
        .as("no certificate of our own")
        .isInstanceOf(LauncherUnavailable.class);
    assertThatThrownBy(() -> status(trust(config("client", "client"))))
        .as("another authority")
        .isInstanceOf(LauncherUnavailable.class);
  }

  @Test
  void wrongSettingsAreNamed() throws IOException {
    assertThat(trust(ServerConfig.of(Map.of()))).isEmpty();
    Map<String, String> half = new HashMap<>();
    half.put("CONVOKE_NOMAD_CERT_FILE", folder.resolve("client.crt").toString());
    assertThatThrownBy(() -> trust(ServerConfig.of(half)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("CONVOKE_NOMAD_KEY_FILE");
    Path old = folder.resolve("old.key");
    Path _ =
        Files.writeString(
            old,
            Files.readString(folder.resolve("client.key"))
                .replace("PRIVATE KEY", "EC PRIVATE KEY"));
    Path _ = Files.copy(folder.resolve("client.crt"), folder.resolve("old.crt"));
    assertThatThrownBy(() -> trust(config("server", "old")))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("openssl pkcs8");
  }

  private int status(Optional<SSLContext> trust) {
    URI url = URI.create("https://localhost:" + server.getAddress().getPort());
    try (OrchestratorClient client = new OrchestratorClient("Nomad", url, Map::of, trust)) {
      return client.call("GET", "/", Duration.ofSeconds(10)).status();
    }
  }

  private static Optional<SSLContext> trust(ServerConfig config) {
    return TlsConfig.context(
        config, Settings.NOMAD_CA_FILE, Settings.NOMAD_CERT_FILE, Settings.NOMAD_KEY_FILE);
  }

  private ServerConfig authority(String trusted) {
    return ServerConfig.of(
        Map.of("CONVOKE_NOMAD_CA_FILE", folder.resolve(trusted + ".crt").toString()));
  }

  private ServerConfig config(String trusted, String own) {
    return ServerConfig.of(
        Map.of(
            "CONVOKE_NOMAD_CA_FILE",
            folder.resolve(trusted + ".crt").toString(),
            "CONVOKE_NOMAD_CERT_FILE",
            folder.resolve(own + ".crt").toString(),
            "CONVOKE_NOMAD_KEY_FILE",
            folder.resolve(own + ".key").toString()));
  }
}
