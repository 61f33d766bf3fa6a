package io.convoke.server.launch.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.convoke.server.launch.LauncherUnavailable;
import io.convoke.server.launch.TestCertificate;
import io.convoke.server.launch.TlsConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine behind TLS that asks for certificates, as {@code dockerd --tlsverify} does. */
class DockerTlsTest {
  @TempDir private static Path folder;

  @Tag("nightly")
  @Test
  void anEngineThatVerifiesIsReachedByTheFilesOfDockersOwnClientAndByNothingElse()
      throws Exception {
    TestCertificate.make(folder, "engine");
    TestCertificate.make(folder, "client");
    HttpsServer engine = engine();
    try {
      String host = "tcp://localhost:" + engine.getAddress().getPort();
      Path files = Files.createDirectory(folder.resolve("docker"));
      Path _ = Files.copy(folder.resolve("engine.crt"), files.resolve("ca.pem"));
      Path _ = Files.copy(folder.resolve("client.crt"), files.resolve("cert.pem"));
      Path _ = Files.copy(folder.resolve("client.key"), files.resolve("key.pem"));
      assertThat(
              new DockerEngine(
                      host, Map.of("DOCKER_TLS_VERIFY", "1", "DOCKER_CERT_PATH", files.toString()))
                  .machine())
          .isEqualTo("behind-tls");
      DockerEngine plain = new DockerEngine(host, Map.of("DOCKER_CERT_PATH", files.toString()));
      assertThatThrownBy(plain::machine).isInstanceOf(LauncherUnavailable.class);
    } finally {
      engine.stop(0);
    }
  }

  private static HttpsServer engine() throws Exception {
    SSLContext context =
        TlsConfig.context(
            "a test",
            folder.resolve("client.crt"),
            folder.resolve("engine.crt"),
            folder.resolve("engine.key"));
    HttpsServer engine =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    engine.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = context.getDefaultSSLParameters();
            wanted.setNeedClientAuth(true);
            parameters.setSSLParameters(wanted);
          }
        });
    byte[] info = "{\"Name\": \"behind-tls\"}".getBytes(StandardCharsets.UTF_8);
    engine.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, info.length);
          exchange.getResponseBody().write(info);
          exchange.close();
        });
    engine.start();
    return engine;
  }
}
