package io.convoke.client.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the generators read in the OpenAPI document. */
record ApiDocument(Map<String, JsonNode> schemas, List<ApiOperation> operations) {

  /** Whether sending a request twice does no more than sending it once. */
  enum Repetition {
    REPEATABLE,
    WITH_KEY,
    ONCE
  }

  /** What an operation answers. */
  sealed interface ApiAnswer {
    record JsonAnswer(JsonNode schema) implements ApiAnswer {}

    /** A page of a list, whose entries have this schema. */
    record PageAnswer(JsonNode item) implements ApiAnswer {}

    record TextAnswer() implements ApiAnswer {}

    record BytesAnswer() implements ApiAnswer {}

    record AddressAnswer() implements ApiAnswer {}

    record NoContentAnswer() implements ApiAnswer {}
  }

  /** A parameter of the path, the query or a header. */
  record ApiParameter(String name, String in, boolean required, String text, JsonNode schema) {}

  /** What is sent as JSON, or as it is. */
  record ApiBody(JsonNode schema, boolean required, boolean json) {}

  /** One operation. */
  record ApiOperation(
      String id,
      String method,
      String path,
      String summary,
      Repetition repetition,
      List<ApiParameter> parameters,
      Optional<ApiBody> body,
      ApiAnswer answer) {
    List<ApiParameter> in(String place) {
      return parameters.stream().filter(it -> it.in().equals(place)).toList();
    }
  }

  /**
   * Reads it.
   *
   * @param idempotent the operations that may be repeated, besides GET and DELETE
   */
  static ApiDocument read(String json, Set<String> idempotent) {
    JsonNode root = JsonMapper.shared().readTree(json);
    Map<String, JsonNode> schemas = new TreeMap<>();
    root.path("components").path("schemas").forEachEntry(schemas::put);
    List<ApiOperation> operations = new ArrayList<>();
    root.path("paths")
        .forEachEntry(
            (path, methods) ->
                methods.forEachEntry(
                    (method, it) ->
                        operations.add(
                            operation(
                                schemas, method.toUpperCase(Locale.ROOT), path, it, idempotent))));
    return new ApiDocument(schemas, operations);
  }

  private static ApiOperation operation(
      Map<String, JsonNode> schemas,
      String method,
      String path,
      JsonNode tree,
      Set<String> idempotent) {
    String id = tree.path("operationId").asString();
    List<ApiParameter> parameters =
        tree.path("parameters")
            .valueStream()
            .map(
                it ->
                    new ApiParameter(
                        it.path("name").asString(),
                        it.path("in").asString(),
                        it.path("required").asBoolean(false),
                        it.path("description").asString(""),
                        it.path("schema")))
            .toList();
    boolean key = parameters.stream().anyMatch(it -> it.name().equals("Idempotency-Key"));
    boolean repeatable = Set.of("GET", "DELETE").contains(method) || idempotent.contains(id);
    return new ApiOperation(
        id,
        method,
        path,
        tree.path("summary").asString(),
        key ? Repetition.WITH_KEY : repeatable ? Repetition.REPEATABLE : Repetition.ONCE,
        parameters.stream().filter(it -> !it.name().equals("Idempotency-Key")).toList(),
        body(tree.path("requestBody")),
        answer(schemas, tree.path("responses")));
  }

  private static Optional<ApiBody> body(JsonNode tree) {
    if (tree.isMissingNode()) {
      return Optional.empty();
    }
    JsonNode json = tree.path("content").path("application/json");
    return Optional.of(
        new ApiBody(
            json.path("schema"), tree.path("required").asBoolean(false), !json.isMissingNode()));
  }

  private static ApiAnswer answer(Map<String, JsonNode> schemas, JsonNode responses) {
    List<Map.Entry<String, JsonNode>> contents = new ArrayList<>();
    boolean success = false;
    for (Map.Entry<String, JsonNode> response : responses.properties()) {
      if (response.getKey().startsWith("2")) {
        success = true;
        contents.addAll(response.getValue().path("content").properties());
      }
    }
    if (!success) {
      return new ApiAnswer.AddressAnswer();
    }
    Optional<JsonNode> json =
        contents.stream()
            .filter(it -> it.getKey().equals("application/json"))
            .map(it -> it.getValue().path("schema"))
            .findFirst();
    if (json.isPresent()) {
      return page(schemas, json.get())
          .<ApiAnswer>map(ApiAnswer.PageAnswer::new)
          .orElseGet(() -> new ApiAnswer.JsonAnswer(json.get()));
    }
    if (contents.isEmpty()) {
      return new ApiAnswer.NoContentAnswer();
    }
    boolean text = contents.stream().allMatch(it -> it.getKey().matches("(text/|.*yaml).*"));
    return text ? new ApiAnswer.TextAnswer() : new ApiAnswer.BytesAnswer();
  }

  /** The schema of a page's entries, if this is one of a page, or of a page among others. */
  private static Optional<JsonNode> page(Map<String, JsonNode> schemas, JsonNode schema) {
    if (schema.has("anyOf")) {
      return schema
          .path("anyOf")
          .valueStream()
          .flatMap(it -> page(schemas, it).stream())
          .findFirst();
    }
    JsonNode resolved = reference(schema).map(schemas::get).orElse(schema);
    JsonNode properties = resolved.path("properties");
    return properties.has("items") && properties.has("next_cursor")
        ? Optional.of(properties.path("items").path("items"))
        : Optional.empty();
  }

  /** The name of the schema that this one refers to. */
  static Optional<String> reference(JsonNode schema) {
    return Optional.of(schema.path("$ref").asString(""))
        .filter(it -> !it.isEmpty())
        .map(it -> it.substring(it.lastIndexOf('/') + 1));
  }

  /** The schema without null as an alternative. */
  static JsonNode withoutNull(JsonNode schema) {
    List<JsonNode> some =
        schema.path("anyOf").valueStream().filter(it -> !type(it).equals("null")).toList();
    return some.size() == 1 ? some.getFirst() : schema;
  }

  /** The type of a schema, without null; empty for any. */
  static String type(JsonNode schema) {
    JsonNode type = schema.path("type");
    return type.isArray()
        ? type.valueStream()
            .map(JsonNode::asString)
            .filter(it -> !it.equals("null"))
            .findFirst()
            .orElse("")
        : type.asString("");
  }

  /** Whether null fits. */
  static boolean nullable(JsonNode schema) {
    return schema.path("type").valueStream().anyMatch(it -> it.asString().equals("null"))
        || schema.path("anyOf").valueStream().anyMatch(it -> type(it).equals("null"));
  }

  /** Whether a member must be there. */
  static boolean required(JsonNode schema, String member) {
    return schema.path("required").valueStream().anyMatch(it -> it.asString().equals(member));
  }

  /** The texts that an enumeration allows. */
  static List<String> values(JsonNode schema) {
    return schema
        .path("enum")
        .valueStream()
        .filter(JsonNode::isString)
        .map(JsonNode::asString)
        .toList();
  }
}
