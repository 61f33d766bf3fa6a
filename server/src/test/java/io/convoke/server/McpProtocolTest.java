package io.convoke.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.json.Json;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.ContractClient.Answered;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code /mcp} of a server: versions of the protocol, their headers, statuses and errors. */
class McpProtocolTest {
  private static final String MODERN = "2026-07-28";
  private static final Map<String, Object> CAPABILITIES =
      Map.of("io.modelcontextprotocol/clientCapabilities", Map.of());

  @TempDir private static Path folder;
  private static TwoNodes nodes;
  private static String key = "";
  private static ContractClient ann;

  @BeforeAll
  static void start() {
    nodes = TwoNodes.start(folder, Map.of());
    ContractClient admin = nodes.admin();
    long user =
        admin
            .post("/admin/users", Map.of("email", "mcp@example.org", "max_concurrent_bots", 5))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    key =
        admin
            .post("/admin/users/" + user + "/tokens", Map.of())
            .expect(201)
            .json()
            .path("token")
            .asString();
    ann = nodes.one().with("X-API-Key", key);
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  private static Answered rpc(String method, Object params) {
    return ann.post("/mcp", Map.of("jsonrpc", "2.0", "id", 7, "method", method, "params", params));
  }

  private static JsonNode result(String method, Object params) {
    JsonNode answer = rpc(method, params).expect(200).json();
    assertThat(answer.path("id").asInt()).isEqualTo(7);
    assertThat(answer.has("error")).as(answer.toString()).isFalse();
    return answer.path("result");
  }

  @Test
  void theClientsVersionIsSpokenIfItIsKnown() {
    for (String version : List.of("2025-03-26", "2025-06-18", "2025-11-25")) {
      JsonNode hello = result("initialize", Map.of("protocolVersion", version));
      assertThat(hello.path("protocolVersion").asString()).isEqualTo(version);
      assertThat(hello.at("/serverInfo/name").asString()).isEqualTo("convoke");
      assertThat(hello.at("/capabilities/tools").isObject()).isTrue();
    }
    JsonNode hello = result("initialize", Map.of("protocolVersion", "2024-11-05"));
    assertThat(hello.path("protocolVersion").asString()).isEqualTo("2025-11-25");
    ann.post("/mcp", Map.of("jsonrpc", "2.0", "method", "notifications/initialized")).expect(202);
    assertThat(result("ping", Map.of()).isEmpty()).isTrue();
    assertThat(rpc("completion/complete", Map.of()).expect(200).json().at("/error/code").asInt())
        .isEqualTo(-32601);
    ann.get("/mcp").expect(405);
    ann.delete("/mcp").expect(405);
    nodes.one().post("/mcp", Map.of("jsonrpc", "2.0", "id", 1, "method", "ping")).expect(401);
    ann.post("/mcp", Map.of("id", 1, "method", "ping")).expect(400, "bad_request");
  }

  @Test
  void aNotificationOfAVersionThatIsNotSpokenIsRefused() {
    Map<String, Object> notification =
        Map.of("jsonrpc", "2.0", "method", "notifications/initialized");
    for (String version : List.of("2025-03-26", "2025-06-18", "2025-11-25", MODERN)) {
      ann.with("MCP-Protocol-Version", version).post("/mcp", notification).expect(202);
    }
    ContractClient old = ann.with("MCP-Protocol-Version", "2024-11-05");
    old.post("/mcp", notification).expect(400, "bad_request");
    old.post("/mcp", List.of(notification)).expect(400, "bad_request");
  }

  @Test
  void aBatchIsAnsweredMessageByMessage() {
    JsonNode answers =
        ann.post(
                "/mcp",
                List.of(
                    Map.of("jsonrpc", "2.0", "id", "a", "method", "ping"),
                    Map.of("jsonrpc", "2.0", "method", "notifications/initialized"),
                    Map.of("jsonrpc", "2.0", "id", "b", "method", "nothing")))
            .expect(200)
            .json();
    assertThat(answers.valueStream().map(it -> it.path("id").asString())).containsExactly("a", "b");
    assertThat(answers.at("/1/error/code").asInt()).isEqualTo(-32601);
  }

  /** The version without a handshake: its errors are JSON-RPC with a status of HTTP. */
  @Test
  void aRequestMayCarryItsVersion() throws Exception {
    HttpResponse<String> discovered = modern("server/discover", "server/discover", MODERN);
    assertThat(discovered.statusCode()).isEqualTo(200);
    JsonNode result = Json.read(discovered.body()).path("result");
    assertThat(result.path("resultType").asString()).isEqualTo("complete");
    assertThat(result.path("supportedVersions").toString())
        .contains("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26");

    HttpResponse<String> mismatch = modern("tools/list", "ping", MODERN);
    assertThat(mismatch.statusCode()).isEqualTo(400);
    assertThat(code(mismatch)).isEqualTo(-32020);
    HttpResponse<String> unknown = modern("tools/list", "tools/list", "1999-01-01");
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(code(unknown)).isEqualTo(-32022);
    assertThat(Json.read(unknown.body()).at("/error/data/supported").size()).isEqualTo(4);
    HttpResponse<String> missing = modern("sampling/list", "sampling/list", MODERN);
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(code(missing)).isEqualTo(-32601);
  }

  @Test
  void aRequestThatCarriesItsVersionCarriesTheClientsCapabilities() throws Exception {
    for (Map<String, Object> meta :
        List.<Map<String, Object>>of(
            Map.of(), Map.of("io.modelcontextprotocol/clientCapabilities", "none"))) {
      HttpResponse<String> without = modern("tools/list", "tools/list", MODERN, meta);
      assertThat(without.statusCode()).isEqualTo(400);
      assertThat(code(without)).isEqualTo(-32602);
    }
  }

  /** Tools change with a release; transcripts and their list at any time. */
  @Test
  void clientsAreToldForHowLongTheyMayKeepAResult() throws Exception {
    for (String method : List.of("tools/list", "prompts/list", "resources/templates/list")) {
      JsonNode kept = Json.read(modern(method, method, MODERN).body()).path("result");
      assertThat(kept.path("cacheScope").asString()).as(method).isEqualTo("private");
      assertThat(kept.path("ttlMs").asInt()).as(method).isEqualTo(300_000);
    }
    JsonNode list =
        Json.read(modern("resources/list", "resources/list", MODERN).body()).path("result");
    assertThat(list.path("cacheScope").asString()).isEqualTo("private");
    assertThat(list.path("ttlMs").isIntegralNumber()).isTrue();
    assertThat(list.path("ttlMs").asInt()).isZero();

    long meeting =
        ann.post("/bots/start", Map.of("platform", "daily", "native_meeting_id", "kept"))
            .expect(201)
            .json()
            .path("id")
            .asLong();
    String uri = "convoke://meetings/" + meeting + "/transcript";
    Map<String, Object> read = Map.of("uri", uri, "_meta", meta(MODERN, CAPABILITIES));
    Map<String, String> headers = Map.of("Mcp-Method", "resources/read", "Mcp-Name", uri);
    HttpResponse<String> transcript = send("resources/read", read, headers, MODERN);
    assertThat(transcript.statusCode()).as(transcript.body()).isEqualTo(200);
    JsonNode content = Json.read(transcript.body()).path("result");
    assertThat(content.path("contents")).hasSize(1);
    assertThat(content.path("ttlMs").isIntegralNumber()).isTrue();
    assertThat(content.path("ttlMs").asInt()).isZero();
  }

  @Test
  void aCursorThatIsNoneIsAnInvalidParameter() {
    JsonNode answer = rpc("resources/list", Map.of("cursor", "none")).expect(200).json();
    assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
    assertThat(answer.at("/error/data/code").asString()).isEqualTo("bad_request");
  }

  private static int code(HttpResponse<String> response) {
    return Json.read(response.body()).at("/error/code").asInt();
  }

  private static HttpResponse<String> modern(String method, String header, String version)
      throws IOException, InterruptedException {
    return modern(method, header, version, CAPABILITIES);
  }

  private static HttpResponse<String> modern(
      String method, String header, String version, Map<String, Object> more)
      throws IOException, InterruptedException {
    return send(
        method, Map.of("_meta", meta(version, more)), Map.of("Mcp-Method", header), version);
  }

  private static Map<String, Object> meta(String version, Map<String, Object> more) {
    Map<String, Object> meta = new HashMap<>(more);
    meta.put("io.modelcontextprotocol/protocolVersion", version);
    return meta;
  }

  private static HttpResponse<String> send(
      String method, Map<String, Object> params, Map<String, String> headers, String version)
      throws IOException, InterruptedException {
    String body = Json.write(Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", params));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(nodes.one().url() + "/mcp"))
            .header("X-API-Key", key)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", version)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    headers.forEach(request::header);
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request.build(), BodyHandlers.ofString());
    }
  }

  @Test
  void pagesOfOtherSitesAreRefused() {
    Map<String, Object> ping = Map.of("jsonrpc", "2.0", "id", 1, "method", "ping");
    ann.with("Origin", "https://evil.example").post("/mcp", ping).expect(403, "origin_refused");
    ann.with("Origin", nodes.one().url()).post("/mcp", ping).expect(200);
  }
}
