package io.convoke.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The last line of whatever a program prints. */
class OutputTailTest {
  @Test
  void theLastLineThatSaysSomething() throws IOException {
    assertThat(last("")).isEmpty();
    assertThat(last("one\ntwo\n\n  \n")).isEqualTo("two");
    assertThat(last("no end of line")).isEqualTo("no end of line");
    assertThat(last("dos\r\n")).isEqualTo("dos");
    assertThat(last("a\u0007\u001b[31mred\n")).isEqualTo("a  [31mred");
  }

  @Test
  void isFoundAtTheEndOfAnyAmount() throws IOException {
    assertThat(last("x\n".repeat(100_000) + "the end\n")).isEqualTo("the end");
    assertThat(last("y".repeat(100_000))).hasSize(1000).matches("y+");
    assertThat(last("\u00e9".repeat(5_000))).endsWith("\u00e9").hasSize(1000);
  }

  private static String last(String printed) throws IOException {
    OutputTail outputTail = new OutputTail();
    outputTail.readAll(new ByteArrayInputStream(printed.getBytes(StandardCharsets.UTF_8)));
    return outputTail.lastLine();
  }
}
