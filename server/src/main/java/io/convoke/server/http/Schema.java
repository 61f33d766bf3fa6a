package io.convoke.server.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A builder for JSON Schema 2020-12. One schema validates requests and documents requests and
 * responses in OpenAPI 3.1. Immutable.
 *
 * <p>Unknown members of an object are allowed and ignored, as the HTTP contract promises. An
 * {@linkplain #optional optional} member may also be sent as null, which means the same as leaving
 * it out unless the feature looks at {@link Request#json()}. All text is checked for NUL and
 * unpaired surrogates whatever its schema says, since Postgres can store neither.
 */
public final class Schema {
  /** The default maximum length of text. */
  public static final int MAX_TEXT = 4096;

  private final Map<String, Object> keywords;
  private final Optional<String> name;

  private Schema(Map<String, Object> keywords, Optional<String> name) {
    this.keywords = Collections.unmodifiableMap(new LinkedHashMap<>(keywords));
    this.name = name;
  }

  private static Schema ofType(String type) {
    return new Schema(Map.of("type", type), Optional.empty());
  }

  /** Text of {@code min} to {@code max} code points. */
  public static Schema text(int min, int max) {
    return ofType("string").and("minLength", min).and("maxLength", max);
  }

  /** Text of any length that a body can hold; for answers. */
  public static Schema text() {
    return ofType("string");
  }

  /** Text without control characters. */
  public static Schema printable(int min, int max) {
    return text(min, max).and("pattern", "^[^\\u0000-\\u001f\\u007f-\\u009f]*$");
  }

  /** Text that a regular expression matches; anchor it with {@code ^} and {@code $}. */
  public static Schema pattern(String regex) {
    return ofType("string").and("maxLength", MAX_TEXT).and("pattern", regex);
  }

  /** An absolute {@code http} or {@code https} address of at most 2048 characters. */
  public static Schema url() {
    return ofType("string")
        .and("format", "uri")
        .and("maxLength", 2048)
        .and("pattern", "^https?://[^\\s]+$");
  }

  /** An address of at most 2048 characters that the feature judges itself. */
  public static Schema anyUrl() {
    return printable(1, 2048);
  }

  /** A whole number between two bounds, both allowed. */
  public static Schema integer(long min, long max) {
    return ofType("integer").and("format", "int64").and("minimum", min).and("maximum", max);
  }

  /** A whole number that a {@code long} holds. */
  public static Schema integer() {
    return integer(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  /** The number of a user or a meeting: 1 and up. */
  public static Schema id() {
    return integer(1, Long.MAX_VALUE);
  }

  /** A number, possibly with a fraction. */
  public static Schema number() {
    return ofType("number");
  }

  /** A number between two bounds, both allowed. */
  public static Schema number(double min, double max) {
    return number().and("minimum", min).and("maximum", max);
  }

  /** True or false. */
  public static Schema bool() {
    return ofType("boolean");
  }

  /** One of the constants of an enum, in lower case. */
  public static <E extends Enum<E>> Schema oneOf(Class<E> type) {
    return oneOf(
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toArray(String[]::new));
  }

  /** An enum of these values. */
  public static Schema oneOf(String... words) {
    return ofType("string").and("enum", List.of(words));
  }

  /** An RFC 3339 timestamp; Convoke writes UTC with milliseconds. */
  public static Schema instant() {
    return ofType("string").and("format", "date-time");
  }

  /** Any JSON object: the free-form {@code data} of a row. */
  public static Schema anyObject() {
    return ofType("object");
  }

  /** Any JSON value. */
  public static Schema any() {
    return new Schema(Map.of(), Optional.empty());
  }

  /** An array of at most {@code maxItems} items. */
  public static Schema array(Schema items, int maxItems) {
    return ofType("array").and("items", items).and("maxItems", maxItems);
  }

  /** An array of any length; for answers. */
  public static Schema array(Schema items) {
    return ofType("array").and("items", items);
  }

  /** An object whose members all have the same schema. */
  public static Schema mapOf(Schema values) {
    return ofType("object").and("additionalProperties", values);
  }

  /** An object without members yet; add them with {@link #required} and {@link #optional}. */
  public static Schema object() {
    return ofType("object");
  }

  /** A value that fits one of several schemas at least. */
  public static Schema anyOf(Schema... choices) {
    return new Schema(Map.of("anyOf", List.of(choices)), Optional.empty());
  }

  /**
   * The schema of a record as it is rendered: snake_case members, all of them always there, {@code
   * Optional} and {@code @Nullable} ones possibly null. Named after the record, so the document
   * refers to it once.
   */
  public static Schema of(Class<? extends Record> type) {
    return RecordSchemaGenerator.of(type);
  }

  /** The page of a list with these items: {@code {"items": [...], "next_cursor": null}}. */
  public static Schema slice(Schema item) {
    return object().required("items", array(item)).required("next_cursor", text().nullable());
  }

  /** A list without pages: {@code {"items": [...]}}. */
  public static Schema items(Schema item) {
    return object().required("items", array(item));
  }

  /** The same object with a member that must be there. */
  public Schema required(String member, Schema schema) {
    List<Object> required = new ArrayList<>(listOf("required"));
    required.add(member);
    return member(member, schema).and("required", List.copyOf(required));
  }

  /** The same object with a member that may be absent or null. */
  public Schema optional(String member, Schema schema) {
    return member(member, schema.nullable());
  }

  /** The same schema, or null. */
  public Schema nullable() {
    Object type = keywords.get("type");
    if (name.isPresent() || (type == null && keywords.containsKey("anyOf"))) {
      return anyOf(this, ofType("null"));
    }
    if (!(type instanceof String word) || word.equals("null")) {
      return this;
    }
    Schema nullable = and("type", List.of(word, "null"));
    if (!keywords.containsKey("enum")) {
      return nullable;
    }
    List<Object> words = new ArrayList<>(listOf("enum"));
    words.add(null);
    return nullable.and("enum", Collections.unmodifiableList(words));
  }

  /** The same schema with a sentence for the reader of the document. */
  public Schema describe(String sentence) {
    return and("description", sentence);
  }

  /** The sentence for the reader. */
  public Optional<String> description() {
    return keywords.get("description") instanceof String sentence
        ? Optional.of(sentence)
        : Optional.empty();
  }

  /** The same schema with a value as callers would send or get it. */
  public Schema example(Object value) {
    return and("examples", List.of(value));
  }

  /** The same schema with the value that holds when it is absent. */
  public Schema byDefault(Object value) {
    return and("default", value);
  }

  /** The same schema under a name: the document defines it once and refers to it. */
  public Schema named(String componentName) {
    return new Schema(keywords, Optional.of(componentName));
  }

  /** The keywords; values are words, numbers, lists, maps and further schemas. */
  public Map<String, Object> keywords() {
    return keywords;
  }

  public Optional<String> name() {
    return name;
  }

  /** Whether this is, apart from null, the given JSON type. */
  public boolean isType(String type) {
    Object actual = keywords.get("type");
    return type.equals(actual) || (actual instanceof List<?> list && list.contains(type));
  }

  private Schema member(String member, Schema schema) {
    Map<String, Object> properties = new LinkedHashMap<>();
    if (keywords.get("properties") instanceof Map<?, ?> present) {
      present.forEach((key, value) -> properties.put(String.valueOf(key), value));
    }
    properties.put(member, schema);
    return and("properties", Collections.unmodifiableMap(properties));
  }

  private List<?> listOf(String keyword) {
    return keywords.get(keyword) instanceof List<?> list ? list : List.of();
  }

  private Schema and(String keyword, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(keywords);
    more.put(keyword, value);
    return new Schema(more, name);
  }

  @Override
  public String toString() {
    return Stream.concat(name.stream(), Stream.of(keywords.toString())).toList().toString();
  }
}
