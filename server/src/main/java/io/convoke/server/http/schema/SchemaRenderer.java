package io.convoke.server.http.schema;

import io.convoke.server.http.Schema;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Renders a {@link Schema} as a tree of maps and lists, either whole or with references to named
 * ones.
 */
public final class SchemaRenderer {
  private SchemaRenderer() {}

  /**
   * The schema with all references inlined, for the validator. Nullable values are written as "if
   * it is not null, then": the findings then concern the actual value, and the validator does not
   * accept bounds beside a list of types.
   */
  static Map<String, Object> inline(Schema schema) {
    Map<String, Object> tree = tree(schema, SchemaRenderer::inline);
    tree.computeIfPresent("minimum", (_, bound) -> unbounded(bound));
    tree.computeIfPresent("maximum", (_, bound) -> unbounded(bound));
    if (!(tree.get("type") instanceof List<?> types)) {
      return tree;
    }
    tree.put("type", types.getFirst());
    tree.computeIfPresent("enum", (_, words) -> withoutNull((List<?>) words));
    Map<String, Object> notNull = Map.of("not", Map.of("type", "null"));
    return Map.of("if", notNull, "then", tree);
  }

  /**
   * The same bound of a type without bounds: beside a {@code long} the validator reads the value as
   * a {@code long} too, and fails on an integer such as 1e308 instead of refusing it.
   */
  private static Object unbounded(Object bound) {
    return bound instanceof Long whole ? BigInteger.valueOf(whole) : bound;
  }

  private static List<?> withoutNull(List<?> words) {
    return words.stream().filter(word -> word != null).toList();
  }

  /** The schema with all references inlined, for readers without the document. */
  public static Map<String, Object> whole(Schema schema) {
    return tree(schema, SchemaRenderer::whole);
  }

  /** The schema where named ones, itself included, become references into {@code components}. */
  static Map<String, Object> referring(Schema schema, Map<String, Object> components) {
    if (schema.name().isEmpty()) {
      return tree(schema, inner -> referring(inner, components));
    }
    String name = schema.name().get();
    if (!components.containsKey(name)) {
      components.put(name, Map.of());
      components.put(name, tree(schema, inner -> referring(inner, components)));
    }
    return Map.of("$ref", "#/components/schemas/" + name);
  }

  private static Map<String, Object> tree(Schema schema, Function<Schema, Object> inner) {
    Map<String, Object> tree = new LinkedHashMap<>();
    schema.keywords().forEach((keyword, value) -> tree.put(keyword, render(value, inner)));
    return tree;
  }

  private static @Nullable Object render(@Nullable Object value, Function<Schema, Object> inner) {
    return switch (value) {
      case null -> null;
      case Schema schema -> inner.apply(schema);
      case List<?> list ->
          list.stream().<@Nullable Object>map(item -> render(item, inner)).toList();
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        map.forEach((key, item) -> tree.put(String.valueOf(key), render(item, inner)));
        yield tree;
      }
      default -> value;
    };
  }
}
