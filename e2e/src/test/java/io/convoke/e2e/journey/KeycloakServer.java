package io.convoke.e2e.journey;

import io.convoke.simulator.process.InstalledPrograms;
import io.convoke.simulator.process.OrphanReaper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real Keycloak with the realm {@code acme} of {@code keycloak/realm.json}, from its distribution
 * on Maven Central. Maven fetches it into the local repository; where it cannot, the tests are
 * skipped loudly.
 */
public final class KeycloakServer implements AutoCloseable {
  private static final String VERSION = "26.4.5";
  private static final String ARTIFACT = "org.keycloak:keycloak-quarkus-dist:" + VERSION + ":zip";
  private static final Path REPOSITORY =
      Path.of(
          System.getProperty(
              "maven.repo.local", System.getProperty("user.home") + "/.m2/repository"));
  private static final Path ZIP =
      REPOSITORY
          .resolve("org/keycloak/keycloak-quarkus-dist")
          .resolve(VERSION)
          .resolve("keycloak-quarkus-dist-" + VERSION + ".zip");
  private static final Duration FETCH_MAX = Duration.ofMinutes(4);
  private static final Duration START_MAX = Duration.ofMinutes(4);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final OrphanReaper orphanReaper = new OrphanReaper();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final Process process;

  private KeycloakServer(Process process, String url) {
    this.process = process;
    this.url = url;
    orphanReaper.guard(process, "TERM");
  }

  /**
   * Starts it, or skips the test that asked, saying why.
   *
   * @param redirectUri the address to which our client may be sent back
   */
  public static KeycloakServer start(Path folder, String redirectUri) throws Exception {
    fetch(folder);
    boolean there = Files.isRegularFile(ZIP);
    if (!there) {
      System.err.println(
          "*** SIGN-IN WAS NOT TESTED AGAINST KEYCLOAK: Maven cannot fetch "
              + ARTIFACT
              + ". Make it available and run the tests again. ***");
    }
    Assumptions.assumeTrue(there, "no Keycloak distribution");
    unpack(folder);
    Path home = folder.resolve("keycloak-" + VERSION);
    Path realm = Files.createDirectories(home.resolve("data/import")).resolve("acme.json");
    try (InputStream template =
        Objects.requireNonNull(KeycloakServer.class.getResourceAsStream("/keycloak/realm.json"))) {
      String text = new String(template.readAllBytes(), StandardCharsets.UTF_8);
      Path _ = Files.writeString(realm, text.replace("REDIRECT_URI", redirectUri));
    }
    int port = InstalledPrograms.freePort();
    ProcessBuilder builder =
        new ProcessBuilder(
                "sh",
                home.resolve("bin/kc.sh").toString(),
                "start-dev",
                "--import-realm",
                "--http-host=127.0.0.1",
                "--http-port=" + port,
                "--http-management-port=" + InstalledPrograms.freePort())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keycloak.log").toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("JAVA_OPTS_APPEND", "-XX:TieredStopAtLevel=1");
    builder.environment().put("KC_BOOTSTRAP_ADMIN_USERNAME", "root");
    builder.environment().put("KC_BOOTSTRAP_ADMIN_PASSWORD", "root");
    KeycloakServer server = new KeycloakServer(builder.start(), "http://127.0.0.1:" + port);
    JourneyTestServer.await("Keycloak listens", START_MAX, server::listens);
    return server;
  }

  private static void fetch(Path folder) throws Exception {
    if (Files.isRegularFile(ZIP)) {
      return;
    }
    try {
      Process maven =
          new ProcessBuilder(
                  "mvn",
                  "-q",
                  "-B",
                  "-ntp",
                  "-Dmaven.repo.local=" + REPOSITORY,
                  "dependency:get",
                  "-Dartifact=" + ARTIFACT,
                  "-Dtransitive=false")
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("maven.log").toFile())
              .start();
      boolean _ = maven.waitFor(FETCH_MAX.toSeconds(), TimeUnit.SECONDS);
      var _ = maven.destroyForcibly();
    } catch (IOException e) {
      System.err.println("Maven cannot be started: " + e);
    }
  }

  private static void unpack(Path folder) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(ZIP))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = folder.resolve(entry.getName());
        if (entry.isDirectory()) {
          Path _ = Files.createDirectories(file);
        } else {
          Path _ = Files.createDirectories(file.getParent());
          long _ = Files.copy(zip, file);
        }
      }
    }
  }

  private boolean listens() {
    if (!process.isAlive()) {
      throw new IllegalStateException("Keycloak ended with " + process.exitValue());
    }
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(issuer() + "/.well-known/openid-configuration"))
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The issuer of the realm. */
  public String issuer() {
    return url + "/realms/acme";
  }

  /** The access token of a person by password, for our client. */
  public String tokenOf(String person) throws Exception {
    return token(
        "acme",
        Map.of(
            "client_id",
            "convoke",
            "client_secret",
            "secret-of-the-client",
            "username",
            person,
            "password",
            "password-of-" + person,
            "scope",
            "openid"));
  }

  /** The same for a client that is not ours. */
  public String tokenForAnother(String person) throws Exception {
    return token(
        "acme",
        Map.of(
            "client_id",
            "another",
            "username",
            person,
            "password",
            "password-of-" + person,
            "scope",
            "openid"));
  }

  private String token(String realm, Map<String, String> values) throws Exception {
    Map<String, String> form = new LinkedHashMap<>(values);
    form.put("grant_type", "password");
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(url + "/realms/" + realm + "/protocol/openid-connect/token"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(encoded(form)))
            .build();
    return require(200, http.send(request, BodyHandlers.ofString()))
        .path("access_token")
        .asString();
  }

  /** Signs with another RSA key from now on; the former one is published no more. */
  public void rotateKeys() throws Exception {
    String realm = admin("GET", "/admin/realms/acme", "").path("id").asString();
    JsonNode before =
        admin("GET", "/admin/realms/acme/components?type=org.keycloak.keys.KeyProvider", "");
    JsonNode _ =
        admin(
            "POST",
            "/admin/realms/acme/components",
            """
            {"name": "rotated", "providerId": "rsa-generated", "parentId": "%s",
             "providerType": "org.keycloak.keys.KeyProvider",
             "config": {"priority": ["200"], "enabled": ["true"], "active": ["true"]}}
            """
                .formatted(realm));
    for (JsonNode provider : before) {
      if (provider.path("providerId").asString().equals("rsa-generated")) {
        JsonNode _ =
            admin("DELETE", "/admin/realms/acme/components/" + provider.path("id").asString(), "");
      }
    }
  }

  private JsonNode admin(String method, String path, String body) throws Exception {
    String token =
        token("master", Map.of("client_id", "admin-cli", "username", "root", "password", "root"));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    return require(response.statusCode() < 300 ? response.statusCode() : 200, response);
  }

  private static JsonNode require(int status, HttpResponse<String> response) {
    if (response.statusCode() != status) {
      throw new IllegalStateException(
          response.uri() + " answers " + response.statusCode() + ": " + response.body());
    }
    return JSON.readTree(response.body().isEmpty() ? "{}" : response.body());
  }

  private static String encoded(Map<String, String> form) {
    return form.entrySet().stream()
        .map(
            entry ->
                entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  /** Suspends it, so that it takes connections and answers none, or resumes it. */
  public void pause(boolean paused) throws Exception {
    // Its script either waits for Java, or becomes it after a first start.
    ProcessHandle java =
        Stream.concat(Stream.of(process.toHandle()), process.descendants())
            .filter(each -> each.info().command().filter(it -> it.endsWith("java")).isPresent())
            .findFirst()
            .orElseThrow();
    int code =
        new ProcessBuilder("kill", paused ? "-STOP" : "-CONT", String.valueOf(java.pid()))
            .start()
            .waitFor();
    if (code != 0) {
      throw new IllegalStateException("kill ended with " + code);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    var _ = process.destroyForcibly();
    orphanReaper.release(process);
    orphanReaper.close();
    http.close();
  }
}
