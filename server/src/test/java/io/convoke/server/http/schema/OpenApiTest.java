package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Response;
import io.convoke.server.http.Schema;
import io.convoke.server.http.TestServer;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The document is valid OpenAPI 3.1 and says what is served. */
class OpenApiTest {
  record Inner(Instant at, List<Long> numbers) {}

  record Outer(long id, Optional<Inner> inner, Optional<Integer> size) {}

  private static Endpoint.Builder outer(String path) {
    return Endpoint.post(path)
        .id("makeOuter")
        .tag("things")
        .summary("Make one.")
        .roles(CallerRole.USER, CallerRole.INTERNAL)
        .scope(ApiScope.MEETINGS)
        .body(
            Schema.object().required("a", Schema.text(1, 5)).optional("b", Schema.oneOf("x", "y")))
        .creates()
        .answers(201, Schema.of(Outer.class));
  }

  @Test
  void the_document_is_valid_and_complete() {
    try (TestServer server =
        TestServer.of(outer("/outers/{id}").handle(_ -> Response.noContent()))) {
      String yaml = server.anonymous().get("/openapi.yaml").expect(200).body();
      ParseOptions options = new ParseOptions();
      options.setResolve(true);
      SwaggerParseResult parsed = new OpenAPIV3Parser().readContents(yaml, null, options);

      assertThat(parsed.getMessages()).isEmpty();
      assertThat(parsed.getOpenAPI().getOpenapi()).isEqualTo("3.1.0");
      assertThat(parsed.getOpenAPI().getPaths().keySet())
          .containsExactlyInAnyOrder(
              "/outers/{id}", "/session", "/livez", "/readyz", "/metrics", "/openapi.yaml");
      var operation =
          Objects.requireNonNull(parsed.getOpenAPI().getPaths().get("/outers/{id}")).getPost();
      assertThat(operation.getResponses().keySet())
          .containsExactlyInAnyOrder(
              "201", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "500",
              "503");
      assertThat(operation.getParameters().stream().map(p -> p.getName()))
          .containsExactly("id", "Idempotency-Key", "user_id");
      assertThat(parsed.getOpenAPI().getComponents().getSchemas().keySet())
          .contains("Outer", "Inner", "Problem");
    }
  }

  @Test
  void a_description_that_contradicts_itself_does_not_start() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Endpoint.get("/x").id("x").tag("x").summary("x").handle(_ -> Response.ok()))
        .withMessageContaining("needs roles");
    Endpoint.Builder unscoped =
        Endpoint.post("/x").id("x").tag("x").summary("x").roles(CallerRole.USER).answers(204);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> unscoped.handle(_ -> Response.noContent()))
        .withMessageContaining("needs a scope");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> unscoped.scope(ApiScope.READ).handle(_ -> Response.noContent()))
        .withMessageContaining("read never permits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> unscoped.roles(CallerRole.ADMIN).handle(_ -> Response.noContent()))
        .withMessageContaining("only for users");
    Endpoint one = outer("/outers").handle(_ -> Response.noContent());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TestServer.of(one, one).close())
        .withMessageContaining("two endpoints");
  }
}
