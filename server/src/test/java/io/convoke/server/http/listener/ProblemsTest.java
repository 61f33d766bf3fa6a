package io.convoke.server.http.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.convoke.engine.json.Json;
import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.ContractClient;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.HttpConfig;
import io.convoke.server.http.NoKeys;
import io.convoke.server.http.Page;
import io.convoke.server.http.Problem;
import io.convoke.server.http.RawCall;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way to send a wrong request gets its own documented problem. */
class ProblemsTest {
  enum Colour {
    RED,
    GREEN
  }

  record Thing(long id, String name, Optional<String> note, Colour colour) {}

  record Draft(String name, Colour colour, Optional<Integer> size) {}

  private static TestServer server;
  private static ContractClient ann;

  @BeforeAll
  static void start() {
    server = TestServer.of(things(), thing(), make(), secret(), broken(), forTheOperator());
    ann = server.user(1);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Endpoint things() {
    return Endpoint.get("/things")
        .id("listThings")
        .tag("things")
        .summary("List things.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .query("colour", Schema.oneOf(Colour.class))
        .query("since", Schema.instant())
        .query("big", Schema.bool())
        .paged()
        .answers(200, Schema.slice(Schema.of(Thing.class)))
        .handle(
            request -> {
              request.page().cursor().ifPresent(cursor -> Cursor.parseLongs(cursor, 1));
              return Response.ok(new Page<>(List.of(), Optional.empty()));
            });
  }

  private static Endpoint thing() {
    return Endpoint.get("/things/{id}")
        .id("getThing")
        .tag("things")
        .summary("Show a thing.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .answers(200, Schema.of(Thing.class))
        .handle(
            request -> {
              if (request.pathId("id") > 99) {
                throw Problem.notFound("thing");
              }
              return Response.ok(
                  new Thing(request.pathId("id"), "a", Optional.empty(), Colour.RED));
            });
  }

  private static Endpoint make() {
    return Endpoint.post("/things")
        .id("makeThing")
        .tag("things")
        .summary("Make a thing.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .body(
            Schema.object()
                .required("name", Schema.text(1, 20))
                .required("colour", Schema.oneOf(Colour.class))
                .optional("size", Schema.integer(1, 9))
                .optional("data", Schema.anyObject())
                .optional(
                    "parts", Schema.array(Schema.object().required("weight", Schema.number()), 3)))
        .creates()
        .answers(201, Schema.of(Thing.class))
        .handle(
            request -> {
              Draft draft = request.body(Draft.class);
              return Response.created(new Thing(7, draft.name(), Optional.empty(), draft.colour()));
            });
  }

  private static Endpoint secret() {
    return Endpoint.get("/internal")
        .id("internal")
        .tag("things")
        .summary("For our own services.")
        .roles(CallerRole.INTERNAL)
        .answers(204)
        .handle(_ -> Response.noContent());
  }

  private static Endpoint forTheOperator() {
    return Endpoint.get("/operator")
        .id("operator")
        .tag("things")
        .summary("For the operator.")
        .roles(CallerRole.ADMIN)
        .answers(204)
        .handle(_ -> Response.noContent());
  }

  private static Endpoint broken() {
    return Endpoint.get("/broken")
        .id("broken")
        .tag("things")
        .summary("Has a bug.")
        .roles(CallerRole.USER)
        .scope(ApiScope.MEETINGS)
        .answers(204)
        .handle(
            _ -> {
              throw new IllegalStateException("password=hunter2");
            });
  }

  @Test
  void a_good_request_is_answered() {
    var made =
        ann.post("/things", Map.of("name", "lamp", "colour", "green", "unknown", 1)).expect(201);

    assertThat(made.json())
        .isEqualTo(Json.read("{\"id\":7,\"name\":\"lamp\",\"note\":null,\"colour\":\"green\"}"));
    assertThat(made.header("traceparent")).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
    assertThat(made.header("RateLimit")).matches("\"caller\";r=\\d+;t=0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"name\":\"a\",\"colour\":\"red\"} x",
        "{\"name\":\"a\",\"name\":\"b\",\"colour\":\"red\"}",
        "{\"name\":\"a\",\"colour\":\"red\",\"size\":NaN}",
        "{'name':'a'}",
        "[1,2",
        "",
        "nul",
        "{\"name\":\"a\",\"colour\":\"red\",}",
        "[1]",
        "null",
        "\"text\""
      })
  void a_body_that_is_no_json_object_is_400(String body) {
    ann.json("POST", "/things", body).expect(400, "bad_request");
  }

  @Test
  void what_is_nested_too_deeply_is_400() {
    ann.json("POST", "/things", "[".repeat(100_000)).expect(400);
  }

  @Test
  void bytes_that_are_not_utf_8_are_400() {
    byte[] body = "{\"name\":\"\u00e9\",\"colour\":\"red\"}".getBytes(StandardCharsets.ISO_8859_1);
    ann.call("POST", "/things", BodyPublishers.ofByteArray(body), "application/json").expect(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"colour\":\"red\"}                                              | name           | is"
            + " required",
        "{\"name\":\"a\",\"colour\":\"blue\"}                              | colour         | must"
            + " be one of red, green",
        "{\"name\":\"a\",\"colour\":\"RED\"}                               | colour         | must"
            + " be one of red, green",
        "{\"name\":5,\"colour\":\"red\"}                                   | name           | must"
            + " be a string",
        "{\"name\":\"\",\"colour\":\"red\"}                                | name           | is"
            + " too short",
        "{\"name\":\"aaaaaaaaaaaaaaaaaaaaa\",\"colour\":\"red\"}           | name           | is"
            + " too long",
        "{\"name\":\"a\",\"colour\":\"red\",\"size\":\"5\"}                | size           | must"
            + " be an integer",
        "{\"name\":\"a\",\"colour\":\"red\",\"size\":1.5}                  | size           | must"
            + " be an integer",
        "{\"name\":\"a\",\"colour\":\"red\",\"size\":10}                   | size           | must"
            + " be at most 9",
        "{\"name\":\"a\",\"colour\":\"red\",\"size\":99999999999999999999} | size           | must"
            + " be at most 9",
        "{\"name\":\"a\",\"colour\":\"red\",\"data\":[]}                   | data           | must"
            + " be an object",
        "{\"name\":\"a\\u0000\",\"colour\":\"red\"}                        | name           | must"
            + " not contain NUL",
        "{\"name\":\"a\",\"colour\":\"red\",\"data\":{\"x\":[\"\\ud800\"]}} | data.x.0      | holds"
            + " half a character",
        "{\"name\":\"a\",\"colour\":\"red\",\"data\":{\"x\":1e99999}}      | data.x         | is a"
            + " number out of range",
        "{\"name\":\"a\",\"colour\":\"red\",\"parts\":[{}]}                | parts.0.weight | is"
            + " required",
        "{\"name\":\"a\",\"colour\":\"red\",\"parts\":[{},{},{},{}]}       | parts          | has"
            + " too many items"
      })
  void a_wrong_field_is_named(String body, String field, String message) {
    var problem = ann.json("POST", "/things", body).expect(400).json();

    assertThat(problem.path("errors").valueStream())
        .contains(Json.tree(Map.of("field", field, "message", message)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/things/abc",
        "/things/1.5",
        "/things/0",
        "/things/-1",
        "/things/99999999999999999999",
        "/things/%00",
        "/things/%ff",
        "/things?limit=0",
        "/things?limit=201",
        "/things?limit=x",
        "/things?limit=1&limit=2",
        "/things?cursor=rubbish",
        "/things?cursor=MR9h",
        "/things?colour=blue",
        "/things?since=yesterday",
        "/things?big=maybe",
        "/things?colour=%e9"
      })
  void a_wrong_parameter_is_400(String path) {
    ann.get(path).expect(400, "bad_request");
  }

  @Test
  void right_parameters_pass() {
    ann.get(
            "/things?limit=200&cursor="
                + Cursor.of(5)
                + "&colour=red&since=2026-01-01T00:00:00.000Z&big=true&x=y")
        .expect(200);
  }

  @Test
  void another_content_type_is_415() {
    ann.call(
            "POST",
            "/things",
            BodyPublishers.ofString("name=a"),
            "application/x-www-form-urlencoded")
        .expect(415);
  }

  @Test
  void the_content_type_may_be_in_upper_case() {
    for (String type : List.of("Application/JSON", "APPLICATION/X+JSON; charset=UTF-8")) {
      ann.call(
              "POST",
              "/things",
              BodyPublishers.ofString("{\"name\": \"a\", \"colour\": \"red\"}"),
              type)
          .expect(201);
    }
  }

  @Test
  void a_body_of_two_mebibytes_is_413_and_the_client_reads_it() {
    byte[] body = new byte[2 << 20];
    ann.call("POST", "/things", BodyPublishers.ofByteArray(body), "application/json").expect(413);
  }

  @Test
  void a_chunked_body_of_two_mebibytes_is_413() {
    InputStream body = new ByteArrayInputStream(new byte[2 << 20]);
    ann.call("POST", "/things", BodyPublishers.ofInputStream(() -> body), "application/json")
        .expect(413);
  }

  @Test
  void unknown_paths_and_methods_are_problems_too() {
    ann.get("/nowhere").expect(404, "not_found");
    ann.get("/things/").expect(404);
    ann.get("/..%2f..%2fetc%2fpasswd").expect(404);
    assertThat(ann.delete("/things").expect(405).header("Allow")).isEqualTo("GET, HEAD, POST");
    assertThat(
            ann.call("OPTIONS", "/things/5", BodyPublishers.noBody(), null)
                .expect(405)
                .header("Allow"))
        .isEqualTo("GET, HEAD");
  }

  @Test
  void head_is_get_without_a_body() {
    var head = ann.call("HEAD", "/livez", BodyPublishers.noBody(), null);

    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("Content-Length")).isEqualTo("15");
  }

  @Test
  void callers_are_distinguished() {
    ContractClient nobody = server.anonymous();
    nobody.get("/things").expect(401, "unauthorized");
    nobody.with("X-API-Key", "wrong").get("/things").expect(401);
    nobody.with("Authorization", "Bearer wrong").get("/things").expect(401);
    nobody.with("Authorization", "Basic dXNlcg==").get("/things").expect(401);
    nobody.with("X-API-Key", "").get("/things").expect(401);
    nobody.with("X-Admin-API-Key", "wrong").with("X-API-Key", "user-1").get("/things").expect(401);
    server.admin().get("/things").expect(200);
    server.internal().get("/things").expect(403, "forbidden");
    server.internal().get("/internal").expect(204);
    server.admin().get("/operator").expect(204);
    server.admin().get("/internal").expect(403);
    ann.get("/operator").expect(403);
    nobody.with("Authorization", "Bearer bot-42").get("/things").expect(403);
  }

  @Test
  void header_fields_that_are_too_large_are_431() {
    String things = server.url() + "/things";
    assertThat(RawCall.get(things, "X-Long", "x".repeat(15 * 1024)).statusCode()).isEqualTo(401);
    var refused = RawCall.get(things, "X-Long", "x".repeat(16 * 1024));
    assertThat(refused.statusCode()).isEqualTo(431);
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(Json.read(refused.body()).path("code").asString()).isEqualTo("headers_too_large");
    assertThat(Json.read(refused.body()).path("status").asInt()).isEqualTo(431);
  }

  @Test
  void what_is_not_there_is_404() {
    ann.get("/things/100").expect(404, "not_found");
    ann.get("/things/5").expect(200);
  }

  @Test
  void an_extra_member_cannot_replace_a_standard_one() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Problem.conflict("taken", "It is taken.", Map.of("status", "open")));
  }

  @Test
  void a_bug_is_500_and_tells_nothing_but_the_trace() {
    String traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    var problem =
        ann.with("traceparent", "00-" + traceId + "-00f067aa0ba902b7-01")
            .get("/broken")
            .expect(500, "internal");

    assertThat(problem.json().path("trace_id").asString()).isEqualTo(traceId);
    assertThat(problem.header("traceparent")).startsWith("00-" + traceId).endsWith("-01");
    assertThat(problem.body()).doesNotContain("hunter2");
  }

  @Test
  void who_asks_too_fast_is_429() {
    HttpConfig terms = HttpConfig.at("127.0.0.1", 0).with(new HttpConfig.RateLimitConfig(0.5, 3));
    try (TestServer small = TestServer.of(List.of(things()), terms, new NoKeys(), List.of())) {
      ContractClient client = small.user(1);
      for (int i = 0; i < 3; i++) {
        client.get("/things").expect(200);
      }
      var refused = client.get("/things").expect(429, "rate_limited");
      assertThat(Duration.ofSeconds(Long.parseLong(refused.header("Retry-After"))))
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
      small.user(2).get("/things").expect(200);
    }
  }
}
