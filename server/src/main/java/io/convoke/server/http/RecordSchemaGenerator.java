package io.convoke.server.http;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Derives the schema of an answer from the record that is rendered, so the two cannot drift apart.
 */
final class RecordSchemaGenerator {
  private static final Set<Class<?>> WHOLE =
      Set.of(long.class, Long.class, int.class, Integer.class, short.class, Short.class);
  private static final Set<Class<?>> FRACTION =
      Set.of(double.class, Double.class, float.class, Float.class);

  private RecordSchemaGenerator() {}

  static Schema of(Class<? extends Record> type) {
    Schema schema = Schema.object();
    for (RecordComponent component : type.getRecordComponents()) {
      Schema member = of(component.getGenericType());
      boolean nullable = isNullable(component.getAnnotatedType());
      schema =
          schema.required(snakeCase(component.getName()), nullable ? member.nullable() : member);
    }
    return schema.named(type.getSimpleName());
  }

  private static boolean isNullable(AnnotatedType type) {
    return type.isAnnotationPresent(Nullable.class);
  }

  private static Schema of(Type type) {
    return switch (type) {
      case Class<?> plain -> ofClass(plain);
      case ParameterizedType generic -> ofGeneric(generic);
      default -> Schema.any();
    };
  }

  private static Schema ofGeneric(ParameterizedType type) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Optional.class) {
      return of(arguments[0]).nullable();
    }
    if (Collection.class.isAssignableFrom(raw)) {
      return Schema.array(of(arguments[0]));
    }
    if (Map.class.isAssignableFrom(raw)) {
      return Schema.mapOf(of(arguments[1]));
    }
    return ofClass(raw);
  }

  private static Schema ofClass(Class<?> type) {
    if (WHOLE.contains(type)) {
      return Schema.integer();
    }
    if (FRACTION.contains(type)) {
      return Schema.number();
    }
    if (type == boolean.class || type == Boolean.class) {
      return Schema.bool();
    }
    if (type == String.class || type == UUID.class) {
      return Schema.text();
    }
    if (type == Instant.class) {
      return Schema.instant();
    }
    if (type == OptionalLong.class || type == OptionalInt.class) {
      return Schema.integer().nullable();
    }
    if (type == ObjectNode.class || Map.class.isAssignableFrom(type)) {
      return Schema.anyObject();
    }
    if (type.isEnum()) {
      return ofEnum(type);
    }
    if (type.isRecord()) {
      return of(type.asSubclass(Record.class));
    }
    if (JsonNode.class.isAssignableFrom(type) || type == Object.class) {
      return Schema.any();
    }
    throw new IllegalArgumentException("no schema for a record component of " + type);
  }

  private static Schema ofEnum(Class<?> type) {
    return Schema.oneOf(
        java.util.Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.toString().toLowerCase(java.util.Locale.ROOT))
            .toArray(String[]::new));
  }

  /** {@code createdAt} as {@code created_at}. */
  static String snakeCase(String name) {
    StringBuilder snake = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isUpperCase(c)) {
        snake.append('_').append(Character.toLowerCase(c));
      } else {
        snake.append(c);
      }
    }
    return snake.toString();
  }
}
