package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.NoKeys;
import io.convoke.server.http.OperationCall;
import io.convoke.server.http.OperatorRole;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Request;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What an operation that calls others may call, and how often. */
class CallerOperationsTest {
  private static final int BURST = 6;

  private static Endpoint inner() {
    return Endpoint.get("/numbers/{number}")
        .id("getNumber")
        .tag("test")
        .summary("Get a number.")
        .roles(CallerRole.USER)
        .scope(ApiScope.READ)
        .answers(200, Schema.object().required("number", Schema.id()))
        .handle(request -> Response.ok(Map.of("number", request.pathId("number"))));
  }

  private static Endpoint forOperators() {
    return Endpoint.get("/secrets")
        .id("getSecrets")
        .tag("test")
        .summary("Get what operators see.")
        .roles(CallerRole.ADMIN)
        .answers(200, Schema.any())
        .handle(_ -> Response.ok(Map.of("secret", 1)));
  }

  /** Calls what it is told, as often as it is told; answers the codes. */
  private static Endpoint outer() {
    return Endpoint.post("/many")
        .id("callMany")
        .tag("test")
        .summary("Call others.")
        .roles(CallerRole.USER)
        .operators(OperatorRole.VIEWER)
        .anyScope()
        .callsOthers()
        .body(
            Schema.object()
                .required("operation", Schema.text())
                .required("number", Schema.any())
                .required("times", Schema.integer()))
        .answers(200, Schema.any())
        .handle(CallerOperationsTest::callMany);
  }

  private static Response callMany(Request request) {
    JsonNode body = request.json();
    OperationCall call =
        OperationCall.of(body.path("operation").asString())
            .path("number", body.path("number").asString());
    List<String> codes = new java.util.ArrayList<>();
    for (int i = 0; i < body.path("times").asInt(); i++) {
      try {
        codes.add(String.valueOf(request.operations().call(call).status()));
      } catch (Problem problem) {
        codes.add(problem.code());
      }
    }
    return Response.ok(
        Map.of("codes", codes, "permits", request.operations().permits(call.operation())));
  }

  private static String ask(TestServer server, String operation, Object number, int times) {
    return server
        .user(7)
        .post("/many", Map.of("operation", operation, "number", number, "times", times))
        .expect(200)
        .body();
  }

  @Test
  void eachCallIsCheckedAsIfTheCallerHadSentIt() {
    try (TestServer server = TestServer.of(inner(), forOperators(), outer())) {
      assertThat(ask(server, "getNumber", 5, 1)).contains("[\"200\"]", "\"permits\":true");
      assertThat(ask(server, "getNumber", "five", 1)).contains("[\"bad_request\"]");
      assertThat(ask(server, "getSecrets", 1, 1))
          .contains("[\"scope_missing\"]", "\"permits\":false");
      assertThat(ask(server, "nothing", 1, 1)).contains("[\"not_found\"]", "\"permits\":false");
    }
  }

  @Test
  void eachCallCountsAgainstTheRateOfTheCaller() {
    HttpConfig slow =
        HttpConfig.at("127.0.0.1", 0).with(new HttpConfig.RateLimitConfig(0.001, BURST));
    try (TestServer server =
        TestServer.of(List.of(inner(), outer()), slow, new NoKeys(), List.of())) {
      assertThat(ask(server, "getNumber", 5, BURST))
          .contains("[\"200\",\"200\",\"200\",\"200\",\"200\",\"rate_limited\"]");
    }
  }
}
