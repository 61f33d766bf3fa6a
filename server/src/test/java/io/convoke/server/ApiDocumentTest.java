package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.api.ApiBreaks;
import io.convoke.server.config.ServerConfig;
import io.convoke.server.http.ContractClient;
import io.convoke.simulator.stores.LocalStores;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The OpenAPI document of a server that has everything, against the one in the repository. */
class ApiDocumentTest {
  private static final JsonMapper PRETTY =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
  private static final Set<String> JSON = Set.of("application/json", "application/problem+json");

  /** Since 0.2.0: these paths are called by Vexa's bots, and by no generated client. */
  private static final Pattern ACCEPTED =
      Pattern.compile("post /bots/internal/callback/[a-z_]+ has another operationId");

  private static final String RELEASED = "api/released.json";

  @TempDir private static Path folder;
  private static App app;
  private static JsonNode document;

  @BeforeAll
  static void start() {
    Map<String, String> settings = new HashMap<>();
    settings.put("CONVOKE_PORT", "0");
    settings.put("CONVOKE_DATABASE_URL", MigratedDatabase.url());
    settings.put("CONVOKE_REDIS_URL", LocalStores.forTests().redis().url());
    settings.put("CONVOKE_SECRET_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    settings.put("CONVOKE_ADMIN_TOKEN", "the-admins-token-of-32-characters");
    settings.put("CONVOKE_SIM_URL", "http://127.0.0.1:1");
    settings.put("CONVOKE_OIDC_ISSUER", "http://127.0.0.1:1");
    settings.put("CONVOKE_OIDC_CLIENT_ID", "convoke");
    settings.put("CONVOKE_OIDC_CLIENT_SECRET", "the-client-secret");
    settings.put("CONVOKE_JANUS_ADMIN_URL", "http://127.0.0.1:1/admin");
    settings.put("CONVOKE_JANUS_ADMIN_SECRET", "the-admin-secret");
    settings.put("CONVOKE_JANUS_ADMIN_KEY", "the-admin-key");
    settings.put("CONVOKE_JANUS_URL", "http://127.0.0.1:1/janus");
    settings.put("CONVOKE_PUBLIC_URL", "https://convoke.example.org/");
    app = App.start(ServerConfig.of(settings), Set.of(NodeRole.API), folder);
    String yaml = ContractClient.of(app.url()).get("/openapi.yaml").expect(200).body();
    document = YAMLMapper.shared().readTree(yaml);
  }

  @AfterAll
  static void stop() {
    app.close();
  }

  /** A change of the API is a change of this file, which a reader of the commit sees. */
  @Test
  void whatIsServedIsTheDocumentInTheRepository() throws IOException {
    Path home = Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
    Path kept = home.resolve("docs/reference/openapi.json");
    String served = PRETTY.writeValueAsString(document) + "\n";
    if (Boolean.getBoolean("api.write")) {
      Path _ = Files.writeString(kept, served);
    }
    assertThat(Files.readString(kept))
        .as("the API; if it should change: ./convoke test -Dapi.write=true --only ApiDocumentTest")
        .isEqualTo(served);
  }

  /** {@code released.json} is the document of the last release: CONTRIBUTING.md. */
  @Test
  void nothingThatTheLastReleaseServedIsBroken() throws IOException {
    try (InputStream in = ApiDocumentTest.class.getResourceAsStream(RELEASED)) {
      JsonNode released =
          Json.read(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
      assertThat(ApiBreaks.between(released, document))
          .filteredOn(finding -> !ACCEPTED.matcher(finding).matches())
          .isEmpty();
    }
  }

  @Test
  void everyExampleFitsItsSchema() {
    ContractClient.of(app.url()).expectValidDocument();
    ContractClient.of(app.url()).expectValidExamples();
  }

  @Test
  void everyOperationSaysWhatItsReaderNeeds() {
    List<String> missing = new ArrayList<>();
    int operations = 0;
    for (String section : List.of("paths", "webhooks")) {
      for (Map.Entry<String, JsonNode> path : document.path(section).properties()) {
        for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
          String name = operation.getKey() + " " + path.getKey();
          operations++;
          describe(name, operation.getValue()).forEach(missing::add);
        }
      }
    }
    assertThat(operations).isGreaterThan(140);
    assertThat(missing).isEmpty();
  }

  @Test
  void everyGroupIsExplained() {
    assertThat(document.path("tags"))
        .isNotEmpty()
        .allSatisfy(
            tag ->
                assertThat(tag.path("description").asString())
                    .as(tag.path("name").asString())
                    .contains(" "));
  }

  private static List<String> describe(String name, JsonNode operation) {
    List<String> missing = new ArrayList<>();
    for (String member : List.of("operationId", "summary", "description", "tags", "responses")) {
      if (operation.path(member).isEmpty() && operation.path(member).asString("").isEmpty()) {
        missing.add(name + " has no " + member);
      }
    }
    for (JsonNode parameter : operation.path("parameters")) {
      if (parameter.path("description").asString("").isEmpty()) {
        missing.add(name + " parameter " + parameter.path("name").asString() + " is not described");
      }
    }
    if (operation.has("requestBody")) {
      withoutExample(name + " body", operation.get("requestBody")).forEach(missing::add);
    }
    for (Map.Entry<String, JsonNode> response : operation.path("responses").properties()) {
      withoutExample(name + " " + response.getKey(), response.getValue()).forEach(missing::add);
    }
    return missing;
  }

  /** What is sent as JSON has an example; sounds, documents and streams have none. */
  private static List<String> withoutExample(String name, JsonNode holder) {
    return holder.path("content").properties().stream()
        .filter(content -> JSON.contains(content.getKey()) && !content.getValue().has("example"))
        .map(content -> name + " has no example of " + content.getKey())
        .toList();
  }
}
