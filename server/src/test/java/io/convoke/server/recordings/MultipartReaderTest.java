package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.server.http.Problem;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms as they arrive, in pieces of any size. */
class MultipartReaderTest {
  private static final String TYPE = "multipart/form-data; boundary=----x";

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 100_000})
  void partsAreReadWhateverThePiecesTheyArriveIn(int piece) throws IOException {
    String large = "0123456789\r\n------y\r\n".repeat(20_000);
    String body =
        part("metadata", "{}") + part("empty", "") + part("file", large) + "------x--\r\n";
    assertThat(read(body, piece))
        .containsExactly(
            Map.entry("metadata", "{}"), Map.entry("empty", ""), Map.entry("file", large));
  }

  @Test
  void whatIsNotReadOfAPartIsPassedOver() throws IOException {
    MultipartReader reader = reader(part("a", "12345") + part("b", "6") + "------x--", 3);
    assertThat(reader.next().orElseThrow().content().read()).isEqualTo('1');
    assertThat(reader.next().orElseThrow().name()).isEqualTo("b");
    assertThat(reader.next()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nothing",
        "------x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nto the end"
      })
  void aBodyThatEndsEarlyIsRefused(String body) {
    assertThatThrownBy(() -> read(body, 5)).isInstanceOf(Problem.class);
  }

  @Test
  void aPartIsWholeOnceItsDelimiterHasArrived() throws IOException {
    MultipartReader reader = reader(part("a", "1") + "------x", 100);
    byte[] content = reader.next().orElseThrow().content().readAllBytes();
    assertThat(new String(content, StandardCharsets.UTF_8)).isEqualTo("1");
    assertThatThrownBy(reader::next).isInstanceOf(Problem.class);
  }

  @Test
  void aPartHasUpToTwentyHeadersOfAKilobyte() throws IOException {
    assertThat(headers(19, 1024).next()).isPresent();
    assertThatThrownBy(() -> headers(20, 1024).next()).isInstanceOf(Problem.class);
    assertThatThrownBy(() -> headers(19, 1025).next()).isInstanceOf(Problem.class);
  }

  @Test
  void anotherContentTypeIsRefused() {
    assertThatThrownBy(() -> MultipartReader.of("application/json", InputStream.nullInputStream()))
        .isInstanceOf(Problem.class);
  }

  private static String part(String name, String content) {
    return "------x\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
        .formatted(name, content);
  }

  /** A part with so many headers of this length before its name. */
  private static MultipartReader headers(int count, int length) {
    String more = ("x".repeat(length) + "\r\n").repeat(count);
    return reader("------x\r\n" + more + part("a", "1").substring(9) + "------x--", 1000);
  }

  private static Map<String, String> read(String body, int piece) throws IOException {
    MultipartReader reader = reader(body, piece);
    Map<String, String> parts = new LinkedHashMap<>();
    for (Optional<MultipartReader.FormPart> part = reader.next();
        part.isPresent();
        part = reader.next()) {
      var _ =
          parts.put(
              part.get().name(),
              new String(part.get().content().readAllBytes(), StandardCharsets.UTF_8));
    }
    return parts;
  }

  private static MultipartReader reader(String body, int piece) {
    return MultipartReader.of(
        TYPE,
        new FilterInputStream(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))) {
          @Override
          public int read(byte[] into, int from, int length) throws IOException {
            return super.read(into, from, Math.min(length, piece));
          }
        });
  }
}
