package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Problem.FieldError;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a body costs that is read, and how what is wrong in it is named. */
class StrictJsonReaderTest {
  private static final String LONG_NAMES = "{\"%s\":".formatted("n".repeat(50_000)).repeat(10);

  @Test
  void longNamesAreNotCopiedForEachValueBelowThem() {
    byte[] body = bytes(LONG_NAMES + "[" + "0,".repeat(269_999) + "0]" + "}".repeat(10));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    JsonNode _ = StrictJsonReader.read(body);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isBetween(1L, 100L << 20);
  }

  @Test
  void aFindingNamesTheBeginningOfALongPath() {
    byte[] body = bytes(LONG_NAMES + "\"\\u0000\"" + "}".repeat(10));
    assertThatThrownBy(() -> StrictJsonReader.read(body))
        .isInstanceOfSatisfying(
            Problem.class,
            problem ->
                assertThat(problem.errors())
                    .containsExactly(
                        new FieldError("n".repeat(300) + "...", "must not contain NUL")));
  }

  @Test
  void findingsAreTwentyAtMost() {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      members.append("\"%d\\u0000\":0,".formatted(i));
    }
    byte[] body = bytes("{" + members + "\"a\":[0,{\"b\":\"\\ud800\"}]}");
    assertThatThrownBy(() -> StrictJsonReader.read(body))
        .isInstanceOfSatisfying(
            Problem.class,
            problem ->
                assertThat(problem.errors())
                    .hasSize(20)
                    .containsOnly(new FieldError("body", "must not contain NUL")));
  }

  @Test
  void aPathIsNamedUpTo300Characters() {
    String longest = "n".repeat(300);
    FieldError cut = new FieldError(longest + "...", "must not contain NUL");
    assertThat(found("{\"%s\":\"\\u0000\"}".formatted(longest)))
        .containsExactly(new FieldError(longest, "must not contain NUL"));
    assertThat(found("{\"%sn\":\"\\u0000\"}".formatted(longest))).containsExactly(cut);
    assertThat(found("{\"%s\":[\"\\u0000\"]}".formatted(longest))).containsExactly(cut);
    String shorter = "n".repeat(299);
    assertThat(found("{\"%s\\ud83d\\ude00\":\"\\u0000\"}".formatted(shorter)))
        .containsExactly(new FieldError(shorter + "...", "must not contain NUL"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\ud83d",
        "\\ude00",
        "\\ud83dx",
        "\\ude00\\ud83d",
        "\\ud83d\\ud83d\\ude00",
        "\\ud83d\\ude00\\ude00"
      })
  void halfACharacterIsFoundWhereItIs(String half) {
    assertThat(found("{\"a\":[0,{\"b\":\"%s\"}]}".formatted(half)))
        .containsExactly(new FieldError("a.1.b", "holds half a character"));
  }

  @Test
  void wholeCharactersAreTakenWhereverTheyAre() {
    assertThat(found("[\"\\ud83d\\ude00\\ud83d\\ude00x\\ud83d\\ude00\"]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e999", "-1e999", "1e-1000", "-1e-1000"})
  void aNumberMayHaveAThousandDigitsOnEitherSideOfThePoint(String number) {
    assertThat(found("[%s]".formatted(number))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e1000", "-1e1000", "1e-1001", "-1e-1001"})
  void aNumberOfMoreDigitsIsOutOfRange(String number) {
    assertThat(found("[%s]".formatted(number)))
        .containsExactly(new FieldError("0", "is a number out of range"));
  }

  @Test
  void whatIsNotJsonIsFoundByLineAndColumn() {
    assertThat(found("{\"a\":1,,}"))
        .containsExactly(new FieldError("body", "is not valid JSON (line 1, column 8)"));
    assertThat(found("{\n\"a\":1,,}"))
        .containsExactly(new FieldError("body", "is not valid JSON (line 2, column 7)"));
  }

  private static List<FieldError> found(String body) {
    try {
      JsonNode _ = StrictJsonReader.read(bytes(body));
      return List.of();
    } catch (Problem problem) {
      return problem.errors();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
