package io.convoke.server.http.schema;

import static java.util.stream.Collectors.joining;

import io.convoke.server.http.ApiScope;
import io.convoke.server.http.CallerRole;
import io.convoke.server.http.DocumentParts;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.Endpoint.DocumentedResponse;
import io.convoke.server.http.Parameter;
import io.convoke.server.http.Problem;
import io.convoke.server.http.RequestBodyKind;
import io.convoke.server.http.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** Writes the OpenAPI 3.1 document of all endpoints, which describes everything that is served. */
public final class OpenApi {
  private static final YAMLMapper YAML =
      YAMLMapper.builder().disable(YAMLWriteFeature.WRITE_DOC_START_MARKER).build();
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PROBLEM_TYPE = "application/problem+json";

  private static final Schema PROBLEM =
      Schema.object()
          .required("type", Schema.text())
          .required("title", Schema.text())
          .required("status", Schema.integer(400, 599))
          .required("detail", Schema.text())
          .required("code", Schema.text().describe("A stable code for programs."))
          .required("trace_id", Schema.text())
          .optional(
              "errors",
              Schema.array(
                  Schema.object()
                      .required("field", Schema.text())
                      .required("message", Schema.text())
                      .named("FieldError")))
          .describe("RFC 9457; some conditions add members, such as the current status.")
          .named("Problem");

  private final Map<String, Object> schemas = new TreeMap<>();
  private final Map<String, Object> problems = new TreeMap<>();

  private OpenApi() {}

  /** The document as YAML. */
  public static String yaml(List<Endpoint> endpoints, DocumentParts parts) {
    return YAML.writeValueAsString(new OpenApi().document(endpoints, parts));
  }

  private Map<String, Object> document(List<Endpoint> endpoints, DocumentParts parts) {
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (Endpoint endpoint : endpoints) {
      paths
          .computeIfAbsent(endpoint.path(), _ -> new LinkedHashMap<>())
          .put(endpoint.method().name().toLowerCase(Locale.ROOT), operation(endpoint));
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put("info", info());
    document.put("servers", List.of(Map.of("url", "/")));
    document.put("tags", tags(endpoints, parts.groups()));
    document.put("paths", paths);
    if (!parts.events().isEmpty()) {
      document.put("webhooks", EventDocument.of(parts.events(), schemas));
    }
    Map<String, Object> components = new LinkedHashMap<>();
    components.put("securitySchemes", securitySchemes());
    components.put("responses", problems);
    components.put("schemas", schemas);
    document.put("components", components);
    return document;
  }

  private static Map<String, Object> info() {
    Map<String, Object> info = new LinkedHashMap<>();
    info.put("title", "Convoke");
    info.put("version", "1");
    info.put("description", "The open control plane for online meetings.");
    info.put("contact", Map.of("name", "The Convoke authors"));
    info.put("license", ordered("name", "Apache-2.0", "identifier", "Apache-2.0"));
    return info;
  }

  private static List<Object> tags(List<Endpoint> endpoints, Map<String, String> groups) {
    return endpoints.stream()
        .map(Endpoint::tag)
        .distinct()
        .sorted()
        .<Object>map(tag -> ordered("name", tag, "description", groups.getOrDefault(tag, tag)))
        .toList();
  }

  /** Two members in this order, so that the document of an unchanged API is unchanged. */
  private static Map<String, Object> ordered(
      String one, Object value, String other, Object second) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put(one, value);
    map.put(other, second);
    return map;
  }

  private Map<String, Object> operation(Endpoint endpoint) {
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", endpoint.id());
    operation.put("tags", List.of(endpoint.tag()));
    operation.put("summary", endpoint.summary());
    String callers = "Callers: " + callers(endpoint) + ".";
    operation.put(
        "description", endpoint.description().map(text -> text + "\n\n" + callers).orElse(callers));
    operation.put("security", security(endpoint));
    if (!endpoint.scopes().isEmpty()) {
      // A user's credential needs one of them; a security requirement would mean all of them.
      operation.put(
          "x-convoke-scopes", endpoint.scopes().stream().sorted().map(ApiScope::wireName).toList());
    }
    endpoint
        .operatorRole()
        .ifPresent(role -> operation.put("x-convoke-operator-role", role.wireName()));
    if (!endpoint.parameters().isEmpty()) {
      operation.put("parameters", endpoint.parameters().stream().map(this::parameter).toList());
    }
    requestBody(endpoint.body()).ifPresent(body -> operation.put("requestBody", body));
    operation.put("responses", responses(endpoint));
    return operation;
  }

  private Map<String, Object> parameter(Parameter parameter) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("name", parameter.name());
    tree.put("in", parameter.place().name().toLowerCase(Locale.ROOT));
    tree.put("required", parameter.required());
    parameter.description().ifPresent(sentence -> tree.put("description", sentence));
    Map<String, Object> schema =
        new LinkedHashMap<>(SchemaRenderer.referring(parameter.schema(), schemas));
    var _ = schema.remove("description");
    tree.put("schema", parameter.repeated() ? ordered("type", "array", "items", schema) : schema);
    return tree;
  }

  private static String callers(Endpoint endpoint) {
    String scopes =
        endpoint.scopes().stream().map(ApiScope::wireName).sorted().collect(joining(" or "));
    return endpoint.roles().stream()
        .map(
            role ->
                switch (role) {
                  case PUBLIC -> "all, without credentials";
                  case USER -> scopes.isEmpty() ? "users" : "users with a key for " + scopes;
                  case ADMIN ->
                      "operators"
                          + endpoint
                              .operatorRole()
                              .map(least -> " with the role " + least.wireName() + " or more")
                              .orElse("");
                  case INTERNAL -> "internal services";
                  case BOT -> "bots";
                })
        .collect(joining("; "));
  }

  private Optional<Map<String, Object>> requestBody(RequestBodyKind body) {
    return switch (body) {
      case RequestBodyKind.NoRequestBody() -> Optional.empty();
      case RequestBodyKind.RawRequestBody _ ->
          Optional.of(
              requestBody(
                  "application/json",
                  true,
                  Map.of("type", "object"),
                  Map.of("type", "participant.joined")));
      case RequestBodyKind.StreamedRequestBody(String contentType, _) ->
          Optional.of(
              requestBody(
                  contentType, true, ordered("type", "string", "format", "binary"), "(the file)"));
      case RequestBodyKind.JsonRequestBody(Schema schema, boolean required, _) ->
          Optional.of(
              requestBody(
                  "application/json",
                  required,
                  SchemaRenderer.referring(schema, schemas),
                  ExampleWriter.of(schema)));
    };
  }

  private static Map<String, Object> requestBody(
      String contentType, boolean required, Map<String, Object> schema, @Nullable Object example) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("required", required);
    body.put("content", Map.of(contentType, content(schema, example)));
    return body;
  }

  /** The schema of a content type with an example of it. */
  static Map<String, @Nullable Object> content(
      Map<String, Object> schema, @Nullable Object example) {
    Map<String, @Nullable Object> content = new LinkedHashMap<>();
    content.put("schema", schema);
    content.put("example", example);
    return content;
  }

  private Map<String, Object> responses(Endpoint endpoint) {
    Map<String, Object> responses = new TreeMap<>();
    for (int status : endpoint.problems()) {
      responses.put(String.valueOf(status), problem(status));
    }
    for (DocumentedResponse answer : endpoint.answers()) {
      responses.put(String.valueOf(answer.status()), response(answer, endpoint));
    }
    return responses;
  }

  private Map<String, Object> response(DocumentedResponse answer, Endpoint endpoint) {
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("description", description(answer.status()));
    if (endpoint.creates() && answer.status() < 300) {
      response.put(
          "headers",
          Map.of(
              "Idempotent-Replayed",
              ordered(
                  "description",
                  "Present when this answer was given before.",
                  "schema",
                  Map.of("type", "string"))));
    }
    if (!answer.contents().isEmpty()) {
      Map<String, Object> contents = new LinkedHashMap<>();
      if (endpoint.problems().contains(answer.status())) {
        contents.put(
            PROBLEM_TYPE,
            content(SchemaRenderer.referring(PROBLEM, schemas), exampleOf(answer.status())));
      }
      answer
          .contents()
          .forEach(
              (type, schema) ->
                  contents.put(
                      type,
                      schema
                          .<Map<String, @Nullable Object>>map(
                              s ->
                                  content(
                                      SchemaRenderer.referring(s, schemas), ExampleWriter.of(s)))
                          .orElseGet(() -> Map.of("schema", Map.of("type", "string")))));
      response.put("content", contents);
    }
    return response;
  }

  private Map<String, Object> problem(int status) {
    String name = "Problem" + status;
    problems.computeIfAbsent(
        name,
        _ -> {
          Map<String, Object> response = new LinkedHashMap<>();
          response.put("description", Problem.titleOf(status));
          response.put(
              "content",
              Map.of(
                  PROBLEM_TYPE,
                  content(SchemaRenderer.referring(PROBLEM, schemas), exampleOf(status))));
          return response;
        });
    return Map.of("$ref", "#/components/responses/" + name);
  }

  private static Map<String, Object> exampleOf(int status) {
    Problem problem =
        switch (status) {
          case 400 -> Problem.badRequest("limit", "must be at most 200");
          case 401 -> Problem.unauthorized();
          case 403 -> Problem.forbidden();
          case 404 -> Problem.notFound("meeting");
          case 408 -> Problem.of(408, "timeout", "The body did not arrive in time.");
          case 409 ->
              Problem.of(409, "idempotency_in_flight", "The first request is not done yet.");
          case 410 -> Problem.of(410, "meeting_over", "The meeting is over.");
          case 413 -> Problem.of(413, "too_large", "The body is too large.");
          case 422 ->
              Problem.of(422, "idempotency_key_reused", "This key belongs to another request.");
          case 429 -> Problem.of(429, "rate_limited", "Too many requests; slow down.");
          case 500 -> Problem.of(500, "internal", "Internal error.");
          case 503 -> Problem.unavailable("Postgres");
          default -> {
            String title = Problem.titleOf(status);
            yield Problem.of(status, title.toLowerCase(Locale.ROOT).replace(' ', '_'), title + ".");
          }
        };
    return problem.body(TRACE);
  }

  private static List<Object> security(Endpoint endpoint) {
    List<Object> choices = new ArrayList<>();
    for (CallerRole callerRole : endpoint.roles()) {
      switch (callerRole) {
        case PUBLIC -> {}
        case USER -> {
          choices.add(Map.of("userKey", List.of()));
          choices.add(Map.of("userToken", List.of()));
        }
        case ADMIN -> choices.add(Map.of("adminKey", List.of()));
        case INTERNAL -> choices.add(Map.of("internalToken", List.of()));
        case BOT -> {
          choices.add(Map.of("botToken", List.of()));
          switch (endpoint.tokenPlace()) {
            case QUERY -> choices.add(Map.of("botTokenInUrl", List.of()));
            case SECRET_HEADER -> choices.add(Map.of("botSecret", List.of()));
            case PATH, HEADER_ALONE -> {}
          }
        }
      }
    }
    if (endpoint.roles().contains(CallerRole.USER) || endpoint.roles().contains(CallerRole.ADMIN)) {
      choices.add(Map.of("session", List.of()));
    }
    return choices;
  }

  private static Map<String, Object> securitySchemes() {
    Map<String, Object> schemes = new LinkedHashMap<>();
    schemes.put(
        "userKey",
        header(
            "X-API-Key",
            "A user's API key. Where x-convoke-scopes stands, it needs one of these scopes."));
    schemes.put(
        "userToken",
        bearer(
            "A user's JWT, whose sub is the user's id, or a token of the OpenID Connect issuer. An"
                + " operator needs at least x-convoke-operator-role."));
    schemes.put("adminKey", header("X-Admin-API-Key", "The operator's key."));
    schemes.put("internalToken", bearer("The token of internal services."));
    schemes.put("botToken", bearer("The token of a bot's own BOT_CONFIG."));
    schemes.put(
        "botSecret", header("X-Internal-Secret", "The same token, for bots that call it so."));
    schemes.put("botTokenInUrl", query("token", "The same token, for bots that only take a URL."));
    schemes.put(
        "session",
        apiKey(
            "cookie",
            "__Host-convoke",
            "What POST /session gives to a browser; it is called convoke over plain http. With it,"
                + " all but GET and HEAD need the header X-Convoke-CSRF: 1, and nothing is answered"
                + " to pages of other sites (403, csrf)."));
    return schemes;
  }

  private static Map<String, Object> query(String name, String description) {
    return apiKey("query", name, description);
  }

  private static Map<String, Object> header(String name, String description) {
    return apiKey("header", name, description);
  }

  private static Map<String, Object> apiKey(String place, String name, String description) {
    Map<String, Object> scheme = new LinkedHashMap<>();
    scheme.put("type", "apiKey");
    scheme.put("in", place);
    scheme.put("name", name);
    scheme.put("description", description);
    return scheme;
  }

  private static Map<String, Object> bearer(String description) {
    Map<String, Object> scheme = new LinkedHashMap<>();
    scheme.put("type", "http");
    scheme.put("scheme", "bearer");
    scheme.put("description", description);
    return scheme;
  }

  private static String description(int status) {
    return switch (status) {
      case 200 -> "OK";
      case 201 -> "Created";
      case 202 -> "Accepted; the work follows.";
      case 204 -> "Done; no content.";
      case 303 -> "Go on at the address in Location.";
      case 304 -> "You have it: the ETag is the one you sent.";
      default -> "Answer " + status;
    };
  }
}
