package io.convoke.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/**
 * The API's JSON: snake_case names, times by RFC 3339. Members that this version does not know are
 * ignored, so that an older client reads a newer server.
 */
final class ApiJson {
  static final String TYPE = "application/json";
  static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .changeDefaultPropertyInclusion(
              it -> it.withValueInclusion(JsonInclude.Include.NON_ABSENT))
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private ApiJson() {}

  static <T> T as(JsonNode tree, Class<T> type) {
    return MAPPER.treeToValue(tree, type);
  }
}
