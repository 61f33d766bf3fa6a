package io.convoke.simulator.http;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;

/** JSON as this simulator reads and writes it: keys in the order given, times with milliseconds. */
public final class SimJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY).build();

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

  private SimJson() {}

  public static byte[] write(@Nullable Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  public static String text(@Nullable Object value) {
    return new String(write(value), StandardCharsets.UTF_8);
  }

  /** The document, or absent if the bytes are not JSON. */
  public static Optional<JsonNode> read(byte[] bytes) {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      return node.isMissingNode() ? Optional.empty() : Optional.of(node);
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }

  /** An object node as plain maps, lists and scalars; empty for anything else. */
  public static Map<String, Object> map(JsonNode node) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (node.isObject()) {
      node.properties()
          .forEach(
              entry ->
                  map.put(entry.getKey(), MAPPER.convertValue(entry.getValue(), Object.class)));
    }
    return map;
  }

  /** The text of a field, absent when the field is missing, null or no string. */
  public static Optional<String> string(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isString() ? Optional.of(value.stringValue()) : Optional.empty();
  }

  /** Whether a field is true; absent fields have the given value. */
  public static boolean flag(JsonNode node, String field, boolean otherwise) {
    JsonNode value = node.path(field);
    return value.isBoolean() ? value.booleanValue() : otherwise;
  }

  public static String time(Instant instant) {
    return TIME.format(instant);
  }
}
