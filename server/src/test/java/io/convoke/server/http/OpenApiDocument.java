package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import io.convoke.server.http.ContractClient.Answered;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** An OpenAPI document that answers are held against. */
final class OpenApiDocument {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder
                  .schemaCacheEnabled(false)
                  .schemaRegistryConfig(
                      SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));

  private static final String MESSAGE_SCHEMA = "/post/requestBody/content/application~1json/schema";

  private final JsonNode tree;

  private OpenApiDocument(JsonNode tree) {
    this.tree = tree;
  }

  static OpenApiDocument read(String yaml) {
    JsonNode tree = YAMLMapper.shared().readTree(yaml);
    allowNull(tree);
    for (Map.Entry<String, JsonNode> schema : tree.at("/components/schemas").properties()) {
      if (!schema.getKey().equals("Problem")) {
        close(schema.getValue());
      }
    }
    return new OpenApiDocument(tree);
  }

  /** An answer may not say more than it promises. */
  private static void close(JsonNode schema) {
    if (schema instanceof ObjectNode object
        && object.has("properties")
        && !object.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    schema.forEach(OpenApiDocument::close);
  }

  /**
   * The validator in use does not take bounds beside a list of types: says the same in other words.
   */
  private static void allowNull(JsonNode node) {
    node.forEach(OpenApiDocument::allowNull);
    if (node instanceof ObjectNode schema && schema.path("type").isArray()) {
      JsonNode type = schema.get("type").get(0);
      ObjectNode then = schema.deepCopy().without("description").asObject();
      then.set("type", type);
      schema.removeAll();
      schema.putObject("if").putObject("not").put("type", "null");
      schema.set("then", then);
    }
  }

  void check(String method, String path, Answered answered) {
    if (answered.status() >= 400) {
      checkProblem(answered);
    }
    Optional<JsonNode> operation = operation(method, path);
    if (operation.isEmpty()) {
      assertThat(answered.status()).as(method + " " + path + " is not documented").isIn(404, 405);
      return;
    }
    String what = method + " " + path + " -> " + answered.status();
    JsonNode response = resolved(operation.get().path("responses").path("" + answered.status()));
    assertThat(response.isObject()).as(what + " is not documented: " + answered.body()).isTrue();
    if (!method.equals("HEAD")) {
      checkBody(what, response.path("content"), answered);
    }
  }

  private static void checkProblem(Answered answered) {
    assertThat(answered.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answered.header("Cache-Control")).contains("no-store");
    assertThat(answered.header("X-Content-Type-Options")).isEqualTo("nosniff");
    JsonNode problem = answered.json();
    assertThat(problem.path("status").asInt()).isEqualTo(answered.status());
    assertThat(problem.path("trace_id").asString()).matches("[0-9a-f]{32}");
    String expected =
        switch (answered.status()) {
          case 401 -> "WWW-Authenticate";
          case 405 -> "Allow";
          case 429, 503 -> "Retry-After";
          default -> "Content-Type";
        };
    assertThat(answered.header(expected)).as(expected + " of " + answered.body()).isNotEmpty();
    if (answered.status() == 400) {
      assertThat(problem.path("errors").isArray()).as(answered.body()).isTrue();
    }
  }

  private void checkBody(String what, JsonNode content, Answered answered) {
    if (content.isMissingNode() || content.isEmpty()) {
      assertThat(answered.body()).as(what).isEmpty();
      return;
    }
    String type = answered.header("Content-Type").replaceFirst(";.*", "");
    assertThat(content.has(type)).as(what + " is not documented as " + type).isTrue();
    if (what.startsWith("GET /events?") || what.startsWith("GET /events ")) {
      checkEvents(answered);
    }
    if (type.equals("application/json") || type.endsWith("+json")) {
      ObjectNode schema = content.get(type).get("schema").deepCopy().asObject();
      schema.set("components", tree.get("components"));
      List<String> faults = new ArrayList<>();
      REGISTRY.getSchema(schema).validate(answered.json()).forEach(e -> faults.add(e.toString()));
      assertThat(faults).as(what + " " + answered.body()).isEmpty();
    }
  }

  /** The journal holds events that the document names, with the data that it says. */
  private void checkEvents(Answered answered) {
    if (!answered.header("Content-Type").equals("application/json") || !tree.has("webhooks")) {
      return;
    }
    for (JsonNode event : answered.json().path("items")) {
      JsonNode message =
          tree.path("webhooks").path(event.path("type").asString()).at(MESSAGE_SCHEMA);
      assertThat(message.isObject()).as(event + " is not documented").isTrue();
      ObjectNode schema = message.at("/properties/data").deepCopy().asObject();
      schema.set("components", tree.get("components"));
      List<String> faults = new ArrayList<>();
      REGISTRY.getSchema(schema).validate(event.path("data")).forEach(it -> faults.add("" + it));
      assertThat(faults).as(event.toString()).isEmpty();
    }
  }

  /** Every example of a request, an answer or an event fits the schema beside it. */
  void checkExamples() {
    List<String> faults = new ArrayList<>();
    for (String section : List.of("paths", "webhooks", "components")) {
      collectFaults(section, tree.path(section), faults);
    }
    assertThat(faults).isEmpty();
  }

  private void collectFaults(String where, JsonNode node, List<String> faults) {
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      collectFaults(where + " " + member.getKey(), member.getValue(), faults);
    }
    if (node.has("schema") && node.has("example")) {
      ObjectNode schema = node.get("schema").deepCopy().asObject();
      schema.set("components", tree.get("components"));
      REGISTRY
          .getSchema(schema)
          .validate(node.get("example"))
          .forEach(fault -> faults.add(where + ": " + fault));
    }
  }

  private Optional<JsonNode> operation(String method, String path) {
    String verb = method.equals("HEAD") ? "get" : method.toLowerCase(Locale.ROOT);
    return tree.path("paths").properties().stream()
        .filter(entry -> matches(entry.getKey(), path) && entry.getValue().has(verb))
        .min((a, b) -> Boolean.compare(a.getKey().contains("{"), b.getKey().contains("{")))
        .map(entry -> entry.getValue().get(verb));
  }

  private static boolean matches(String template, String path) {
    String regex = "\\Q" + template.replaceAll("\\{[^}]+}", "\\\\E[^/]+\\\\Q") + "\\E";
    return Pattern.matches(regex, path);
  }

  private JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? tree.at(node.get("$ref").asString().substring(1)) : node;
  }
}
