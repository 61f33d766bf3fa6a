package io.convoke.server.http.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.convoke.server.http.Problem;
import io.convoke.server.http.Problem.FieldError;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
