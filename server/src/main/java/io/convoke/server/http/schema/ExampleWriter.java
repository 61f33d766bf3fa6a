package io.convoke.server.http.schema;

import io.convoke.server.http.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value that fits a schema, for the readers of the document: what the schema itself gives
 * as an example, else a value that the member's name suggests.
 */
final class ExampleWriter {
  private ExampleWriter() {}

  /** An example of a request or an answer. */
  static @Nullable Object of(Schema schema) {
    return of("", schema);
  }

  private static @Nullable Object of(String member, Schema schema) {
    Map<String, Object> keywords = schema.keywords();
    if (keywords.get("examples") instanceof List<?> given) {
      return given.getFirst();
    }
    if (ExampleValues.isNull(member) && nullable(schema)) {
      return null;
    }
    if (keywords.get("anyOf") instanceof List<?> choices) {
      return of(member, (Schema) choices.getFirst());
    }
    if (keywords.get("enum") instanceof List<?> words) {
      return word(member, words);
    }
    if (keywords.containsKey("default")) {
      return keywords.get("default");
    }
    if (schema.isType("object")) {
      return object(keywords);
    }
    if (schema.isType("array")) {
      return keywords.get("items") instanceof Schema items
          ? List.of(Objects.requireNonNull(of(member, items)))
          : List.of();
    }
    if (schema.isType("string")) {
      return text(member, keywords);
    }
    if (schema.isType("integer")) {
      return whole(member, keywords);
    }
    if (schema.isType("number")) {
      return number(member, keywords);
    }
    return schema.isType("boolean") ? false : Map.of();
  }

  private static boolean nullable(Schema schema) {
    return schema.isType("null")
        || (schema.keywords().get("anyOf") instanceof List<?> choices
            && choices.stream().anyMatch(it -> it instanceof Schema one && one.isType("null")));
  }

  private static Map<String, @Nullable Object> object(Map<String, Object> keywords) {
    Map<String, @Nullable Object> example = new LinkedHashMap<>();
    if (keywords.get("properties") instanceof Map<?, ?> members) {
      members.forEach(
          (name, schema) ->
              example.put(String.valueOf(name), of(String.valueOf(name), (Schema) schema)));
    } else if (keywords.get("additionalProperties") instanceof Schema values) {
      example.put("name", of("", values));
    }
    return example;
  }

  private static @Nullable Object word(String member, List<?> words) {
    String usual = ExampleValues.word(member).orElse("");
    return words.contains(usual) ? usual : words.getFirst();
  }

  private static String text(String member, Map<String, Object> keywords) {
    if ("date-time".equals(keywords.get("format"))) {
      return ExampleValues.TIME;
    }
    String wanted = ExampleValues.word(member).orElse("text");
    boolean fits =
        !(keywords.get("pattern") instanceof String regex)
            || Pattern.compile(regex).matcher(wanted).find();
    if (fits) {
      return wanted;
    }
    return "uri".equals(keywords.get("format")) ? "https://example.org/a" : "text";
  }

  private static long whole(String member, Map<String, Object> keywords) {
    return (long)
        bounded(ExampleValues.number(member).map(Number::doubleValue).orElse(1.0), keywords);
  }

  private static double number(String member, Map<String, Object> keywords) {
    return bounded(ExampleValues.number(member).map(Number::doubleValue).orElse(1.0), keywords);
  }

  private static double bounded(double value, Map<String, Object> keywords) {
    double min = keywords.get("minimum") instanceof Number least ? least.doubleValue() : value;
    double max = keywords.get("maximum") instanceof Number most ? most.doubleValue() : value;
    return Math.clamp(value, min, max);
  }
}
