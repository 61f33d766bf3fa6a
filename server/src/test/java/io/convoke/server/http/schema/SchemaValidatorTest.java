package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.server.http.Problem.FieldError;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2030-01-01 00:00:00Z",
        "1990-12-31T15:59:60-08:00",
        "2030-01-01T00:00:00.1234567890Z",
        "2030-01-01T00:00:00",
        "2030-02-30T00:00:00Z"
      })
  void aTimeThatCannotBeReadIsNotValid(String text) {
    assertThat(new SchemaValidator(Schema.instant()).check(text(text), "at"))
        .containsExactly(new FieldError("at", "is not a valid date-time"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"2030-01-01T00:00:00Z", "2030-01-01T00:00:00.123Z", "2030-01-01T00:00:00+02:00"})
  void aTimeMayHaveAFractionAndAnOffset(String text) {
    assertThat(new SchemaValidator(Schema.instant().nullable()).check(text(text), "at")).isEmpty();
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }
}
