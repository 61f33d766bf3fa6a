package io.convoke.engine.json;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * The one JSON mapper: snake_case names, enums in snake_case too, times as RFC 3339 in UTC with
 * milliseconds, unknown fields ignored. Malformed text is a {@link JacksonException}.
 */
public final class Json {
  private static final DateTimeFormatter RFC3339_MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enumNamingStrategy(EnumNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .addModule(new SimpleModule("convoke").addSerializer(Instant.class, new Rfc3339()))
          .build();

  private static final ObjectWriter ASCII = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private Json() {}

  public static JsonMapper mapper() {
    return MAPPER;
  }

  public static JsonNode read(String text) {
    return MAPPER.readTree(text);
  }

  public static <T> T read(String text, Class<T> type) {
    return MAPPER.readValue(text, type);
  }

  public static <T> T read(byte[] text, Class<T> type) {
    return MAPPER.readValue(text, type);
  }

  public static <T> T read(JsonNode tree, Class<T> type) {
    return MAPPER.treeToValue(tree, type);
  }

  public static JsonNode tree(Object value) {
    return value instanceof JsonNode node ? node : MAPPER.valueToTree(value);
  }

  public static String write(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** The same in ASCII, for what is read in an unknown encoding, as environments are. */
  public static String ascii(Object value) {
    return ASCII.writeValueAsString(value);
  }

  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /** The format of all times in output. */
  public static String time(Instant instant) {
    return RFC3339_MILLIS.format(instant);
  }

  private static final class Rfc3339 extends ValueSerializer<Instant> {
    @Override
    public void serialize(Instant value, JsonGenerator generator, SerializationContext context) {
      generator.writeString(time(value));
    }
  }
}
