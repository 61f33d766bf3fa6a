package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class SchemaValidatorTest {
  private final SchemaValidator ids =
      new SchemaValidator(Schema.pattern("^[A-Za-z0-9_.:-]{1,128}$"));

  @Test
  void textOfASimplePatternIsAcceptedWithoutFullValidation() {
    assertThat(ids.surely("42")).isTrue();
    assertThat(ids.surely("x".repeat(128))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "42\n", "a b", "\u00e9", "42/43", "\n42"})
  void textThatDoesNotMatchIsNotAcceptedEarly(String text) {
    assertThat(ids.surely(text)).isFalse();
    assertThat(ids.surely("x".repeat(129))).isFalse();
  }

  @Test
  void aSchemaWithMoreThanAPatternIsValidatedInFull() {
    assertThat(new SchemaValidator(Schema.url()).surely("https://example.org/")).isFalse();
    assertThat(new SchemaValidator(Schema.oneOf("a", "b")).surely("a")).isFalse();
    assertThat(new SchemaValidator(Schema.printable(2, 4)).surely("abc")).isFalse();
    assertThat(new SchemaValidator(Schema.url()).check(text("https://example.org/"), "url"))
        .isEmpty();
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }
}
