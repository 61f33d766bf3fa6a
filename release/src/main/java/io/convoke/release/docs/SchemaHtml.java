package io.convoke.release.docs;

import static io.convoke.release.docs.PageLayout.escaped;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Shows JSON schemas: the type in a few words, and the members of objects as a table. */
final class SchemaHtml {
  /** The page of the named schemas. */
  static final String PAGE = "api/schemas.html";

  private static final String REFERENCE = "#/components/schemas/";

  private SchemaHtml() {}

  /** The type with its bounds, and a link where it has a name. */
  static String type(JsonNode schema, String path) {
    if (schema.has("$ref")) {
      String name = schema.get("$ref").asString().substring(REFERENCE.length());
      return "<a href=\"%s%s#%s\">%s</a>"
          .formatted(SitePage.toRoot(path), PAGE, name, escaped(name));
    }
    if (schema.has("anyOf")) {
      List<String> choices = new ArrayList<>();
      schema.get("anyOf").forEach(choice -> choices.add(type(choice, path)));
      return String.join(" or ", choices);
    }
    if (schema.has("enum")) {
      List<String> values = new ArrayList<>();
      schema.get("enum").forEach(value -> values.add("<code>" + escaped(value(value)) + "</code>"));
      return String.join(", ", values);
    }
    String named = names(schema.path("type"));
    if (schema.has("items")) {
      return named + " of " + type(schema.get("items"), path);
    }
    return named + bounds(schema);
  }

  private static String value(JsonNode value) {
    return value.isString() && !value.asString().isEmpty() ? value.asString() : value.toString();
  }

  private static String names(JsonNode type) {
    if (type.isArray()) {
      List<String> names = new ArrayList<>();
      type.forEach(it -> names.add(it.asString()));
      return String.join(" or ", names);
    }
    return type.asString("any");
  }

  private static String bounds(JsonNode schema) {
    List<String> bounds = new ArrayList<>();
    if (schema.path("format").isString() && !schema.path("format").asString().equals("int64")) {
      bounds.add(schema.path("format").asString());
    }
    range(schema.path("minimum"), schema.path("maximum"), "", bounds);
    range(schema.path("minLength"), schema.path("maxLength"), " characters", bounds);
    if (schema.has("default")) {
      bounds.add("default " + value(schema.get("default")));
    }
    return bounds.isEmpty() ? "" : ", " + escaped(String.join(", ", bounds));
  }

  /** Bounds that are those of the type itself say nothing. */
  private static void range(JsonNode from, JsonNode to, String unit, List<String> bounds) {
    boolean least = from.isNumber() && from.asLong(0) > Long.MIN_VALUE;
    boolean most = to.isNumber() && to.asLong(Long.MAX_VALUE) < Long.MAX_VALUE;
    if (least && most) {
      bounds.add(from.asString() + " to " + to.asString() + unit);
    } else if (least) {
      bounds.add("from " + from.asString() + unit);
    } else if (most) {
      bounds.add("to " + to.asString() + unit);
    }
  }

  /** The members of an object as a table, those of objects inside it by their dotted names. */
  static String members(JsonNode schema, String path) {
    StringBuilder rows = new StringBuilder();
    rows("", schema, path, rows);
    return rows.isEmpty()
        ? ""
        : "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">Member</th>"
            + "<th scope=\"col\">Type</th><th scope=\"col\">Meaning</th></tr></thead><tbody>\n"
            + rows
            + "</tbody></table></div>\n";
  }

  private static void rows(String prefix, JsonNode schema, String path, StringBuilder rows) {
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(name -> required.add(name.asString()));
    for (Map.Entry<String, JsonNode> member : schema.path("properties").properties()) {
      String name = prefix + member.getKey();
      JsonNode value = member.getValue();
      rows.append("<tr><td><code>").append(escaped(name)).append("</code>");
      rows.append(required.contains(member.getKey()) ? " *" : "").append("</td><td>");
      rows.append(type(value, path)).append("</td><td>");
      rows.append(escaped(value.path("description").asString(""))).append("</td></tr>\n");
      rows(name + ".", value, path, rows);
      rows(name + "[].", value.path("items"), path, rows);
    }
  }
}
