package io.convoke.server.api;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What breaks programs that were written against an older OpenAPI document: pure comparison of two
 * documents, one line for each finding.
 */
public final class ApiBreaks {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  /** Which way a value goes: what one side may add, the other side may not. */
  private enum Direction {
    REQUEST,
    ANSWER
  }

  private final JsonNode before;
  private final JsonNode after;
  private final List<String> found = new ArrayList<>();
  private final Set<String> compared = new HashSet<>();

  private ApiBreaks(JsonNode before, JsonNode after) {
    this.before = before;
    this.after = after;
  }

  /** The findings, in the order of the older document. */
  public static List<String> between(JsonNode before, JsonNode after) {
    ApiBreaks breaks = new ApiBreaks(before, after);
    breaks.operations("paths", Direction.REQUEST, Direction.ANSWER);
    // Of a webhook we are the client: its request is what our users read.
    breaks.operations("webhooks", Direction.ANSWER, Direction.REQUEST);
    return breaks.found;
  }

  private void operations(String section, Direction request, Direction answer) {
    for (Map.Entry<String, JsonNode> path : before.path(section).properties()) {
      JsonNode now = after.path(section).path(path.getKey());
      if (now.isMissingNode()) {
        found.add(path.getKey() + " is gone");
        continue;
      }
      for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
        String name = operation.getKey() + " " + path.getKey();
        if (METHODS.contains(operation.getKey())) {
          if (now.has(operation.getKey())) {
            operation(name, operation.getValue(), now.get(operation.getKey()), request, answer);
          } else {
            found.add(name + " is gone");
          }
        }
      }
    }
  }

  private void operation(
      String name, JsonNode old, JsonNode now, Direction request, Direction answer) {
    if (!old.path("operationId").equals(now.path("operationId"))) {
      found.add(name + " has another operationId");
    }
    callers(name, old, now);
    parameters(name, old, now);
    body(name, old.path("requestBody"), now.path("requestBody"), request);
    for (Map.Entry<String, JsonNode> response : old.path("responses").properties()) {
      if (response.getKey().startsWith("2")) {
        JsonNode later = now.path("responses").path(response.getKey());
        if (later.isMissingNode()) {
          found.add(name + " answers no more " + response.getKey());
        } else {
          contents(name + " " + response.getKey(), response.getValue(), later, answer);
        }
      }
    }
  }

  private void callers(String name, JsonNode old, JsonNode now) {
    Set<String> lost = schemes(old);
    lost.removeAll(schemes(now));
    boolean open = now.path("security").isEmpty();
    if (!open && (old.path("security").isEmpty() || !lost.isEmpty())) {
      found.add(name + " refuses callers that it took: " + lost);
    }
  }

  private static Set<String> schemes(JsonNode operation) {
    Set<String> schemes = new TreeSet<>();
    operation.path("security").forEach(choice -> schemes.addAll(choice.propertyNames()));
    return schemes;
  }

  private void parameters(String name, JsonNode old, JsonNode now) {
    for (JsonNode parameter : old.path("parameters")) {
      JsonNode later = parameter(now, parameter);
      String what = name + " parameter " + parameter.path("name").asString();
      if (later.isMissingNode()) {
        found.add(what + " is gone");
      } else {
        if (later.path("required").asBoolean() && !parameter.path("required").asBoolean()) {
          found.add(what + " is required now");
        }
        schema(what, parameter.path("schema"), later.path("schema"), Direction.REQUEST);
      }
    }
    for (JsonNode parameter : now.path("parameters")) {
      if (parameter.path("required").asBoolean() && parameter(old, parameter).isMissingNode()) {
        found.add(name + " needs the new parameter " + parameter.path("name").asString());
      }
    }
  }

  private static JsonNode parameter(JsonNode operation, JsonNode wanted) {
    for (JsonNode parameter : operation.path("parameters")) {
      if (parameter.path("name").equals(wanted.path("name"))
          && parameter.path("in").equals(wanted.path("in"))) {
        return parameter;
      }
    }
    return operation.path("no such parameter");
  }

  private void body(String name, JsonNode old, JsonNode now, Direction direction) {
    if (now.path("required").asBoolean() && !old.path("required").asBoolean()) {
      found.add(name + " needs a body now");
    }
    contents(name + " body", old, now, direction);
  }

  private void contents(String name, JsonNode old, JsonNode now, Direction direction) {
    for (Map.Entry<String, JsonNode> content : old.path("content").properties()) {
      JsonNode later = now.path("content").path(content.getKey());
      if (later.isMissingNode()) {
        found.add(name + " is no more " + content.getKey());
      } else {
        schema(name, content.getValue().path("schema"), later.path("schema"), direction);
      }
    }
  }

  private void schema(String name, JsonNode older, JsonNode newer, Direction direction) {
    JsonNode old = resolved(before, older);
    JsonNode now = resolved(after, newer);
    boolean named = older.has("$ref") || newer.has("$ref");
    if (named && !compared.add(direction + " " + older + " " + newer)) {
      return;
    }
    types(name, old, now, direction);
    words(name, old, now, direction);
    members(name, old, now, direction);
    if (old.has("items")) {
      schema(name + "[]", old.path("items"), now.path("items"), direction);
    }
    choices(name, old, now, direction);
  }

  private void types(String name, JsonNode old, JsonNode now, Direction direction) {
    Set<String> first = types(old);
    Set<String> then = types(now);
    boolean fits =
        switch (direction) {
          case REQUEST -> then.isEmpty() || (!first.isEmpty() && then.containsAll(first));
          case ANSWER -> first.isEmpty() || (!then.isEmpty() && first.containsAll(then));
        };
    if (!fits) {
      found.add(name + " was " + first + " and is " + then);
    }
  }

  private static Set<String> types(JsonNode schema) {
    Set<String> types = new TreeSet<>();
    JsonNode type = schema.path("type");
    if (type.isString()) {
      types.add(type.asString());
    }
    type.forEach(it -> types.add(it.asString()));
    return types;
  }

  /** A request may not lose a word; an answer may get more, for which readers are to be ready. */
  private void words(String name, JsonNode old, JsonNode now, Direction direction) {
    if (direction == Direction.REQUEST && now.has("enum")) {
      Set<JsonNode> lost = new HashSet<>(old.path("enum").valueStream().toList());
      now.path("enum").forEach(lost::remove);
      if (!old.has("enum") || !lost.isEmpty()) {
        found.add(name + " takes fewer values: " + lost);
      }
    }
  }

  private void members(String name, JsonNode old, JsonNode now, Direction direction) {
    for (Map.Entry<String, JsonNode> member : old.path("properties").properties()) {
      JsonNode later = now.path("properties").path(member.getKey());
      String what = name + "." + member.getKey();
      if (later.isMissingNode()) {
        found.add(what + " is gone");
      } else {
        schema(what, member.getValue(), later, direction);
      }
    }
    Set<String> first = required(old);
    Set<String> then = required(now);
    switch (direction) {
      case REQUEST -> {
        then.removeAll(first);
        then.forEach(member -> found.add(name + "." + member + " is required now"));
      }
      case ANSWER -> {
        first.removeAll(then);
        first.stream()
            .filter(member -> now.path("properties").has(member))
            .forEach(member -> found.add(name + "." + member + " may be absent now"));
      }
    }
  }

  private static Set<String> required(JsonNode schema) {
    Set<String> required = new TreeSet<>();
    schema.path("required").forEach(member -> required.add(member.asString()));
    return required;
  }

  private void choices(String name, JsonNode old, JsonNode now, Direction direction) {
    for (int i = 0; i < old.path("anyOf").size(); i++) {
      if (now.path("anyOf").size() <= i) {
        found.add(name + " has one choice less");
        return;
      }
      schema(name, old.path("anyOf").get(i), now.path("anyOf").get(i), direction);
    }
  }

  private static JsonNode resolved(JsonNode document, JsonNode schema) {
    return schema.has("$ref") ? document.at(schema.get("$ref").asString().substring(1)) : schema;
  }
}
