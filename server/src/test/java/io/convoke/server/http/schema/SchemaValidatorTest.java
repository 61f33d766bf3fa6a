package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.SchemaException;
import com.sun.management.ThreadMXBean;
import io.convoke.engine.json.Json;
import io.convoke.server.http.Problem.FieldError;
import io.convoke.server.http.Schema;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class SchemaValidatorTest {
  private static final Schema THING =
      Schema.object()
          .required("name", Schema.text())
          .optional("size", Schema.integer())
          .optional("colour", Schema.oneOf("red", "green"))
          .optional("parts", Schema.array(Schema.object().required("weight", Schema.number()), 3));

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
  void aPatternMatchesTextOf4096CharactersAtMost() {
    SchemaValidator anyLength = new SchemaValidator(Schema.pattern("^x*$"));
    assertThat(anyLength.surely("x".repeat(4096))).isTrue();
    assertThat(anyLength.surely("x".repeat(4097))).isFalse();
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]                                    |                | must be an object",
        "{}                                    | name           | is required",
        "{\"name\":5}                          | name           | must be a string",
        "{\"name\":null}                       | name           | must be a string",
        "{\"name\":\"a\",\"size\":1.5}           | size           | must be an integer",
        "{\"name\":\"a\",\"colour\":\"blue\"}      | colour         | must be one of red, green",
        "{\"name\":\"a\",\"parts\":5}            | parts          | must be an array",
        "{\"name\":\"a\",\"parts\":[{}]}         | parts.0.weight | is required",
        "{\"name\":\"a\",\"parts\":[{\"weight\":\"5\"}]} | parts.0.weight | must be a number"
      })
  void aFindingNamesTheMemberAndWhatItMustBe(String json, @Nullable String member, String message) {
    SchemaValidator things = new SchemaValidator(THING);
    String inBody = member == null ? "body" : member;
    assertThat(things.check(Json.read(json), "")).containsExactly(new FieldError(inBody, message));
    String inField = member == null ? "data" : "data." + member;
    assertThat(things.check(Json.read(json), "data"))
        .containsExactly(new FieldError(inField, message));
  }

  @Test
  void anOptionalMemberMayBeNull() {
    JsonNode value = Json.read("{\"name\":\"a\",\"size\":null,\"colour\":null,\"parts\":null}");
    assertThat(new SchemaValidator(THING).check(value, "")).isEmpty();
  }

  @Test
  void noMoreIsLookedForThanIsShown() {
    JsonNode value = Json.read("{\"name\":\"a\",\"parts\":[" + "0,".repeat(299_999) + "0]}");
    assertThat(checkSparingly(THING, value))
        .contains(new FieldError("parts.0", "must be an object"));
  }

  /** Each entry fits none of three schemas. */
  @Test
  void noMoreIsLookedForWhereEachEntryHasSeveralFindings() {
    Schema choices = Schema.anyOf(Schema.text(), Schema.integer(), Schema.bool());
    JsonNode value = Json.read("[" + "{},".repeat(99_999) + "{}]");
    assertThat(checkSparingly(Schema.array(choices), value))
        .contains(new FieldError("0", "must be a string"));
  }

  private static List<FieldError> checkSparingly(Schema schema, JsonNode value) {
    SchemaValidator validator = new SchemaValidator(schema);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    List<FieldError> found = validator.check(value, "");
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isBetween(1L, 30L << 20);
    assertThat(found).hasSize(20);
    return found;
  }

  @Test
  void aPatternThatCannotBeReadIsFoundBeforeTheFirstValue() {
    assertThatThrownBy(() -> new SchemaValidator(Schema.pattern("(").nullable()))
        .isInstanceOf(SchemaException.class);
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }
}
