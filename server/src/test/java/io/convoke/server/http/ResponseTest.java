package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseTest {
  @Test
  void theLastValueOfAHeaderHolds() {
    Response response =
        Response.ok().header("ETag", "1").header("Vary", "Accept").header("ETag", "2");

    assertThat(response.headers()).isEqualTo(Map.of("ETag", "2", "Vary", "Accept"));
    assertThat(response.fields()).hasSize(2);
    assertThat(Response.ok().headers()).as("shared").isEmpty();
  }

  /** The web server does not look at what we send. */
  @ParameterizedTest
  @ValueSource(strings = {"a\r\nSet-Cookie: b=c", "a\n", "\u0000", "\u007f"})
  void aHeaderValueCannotContainALineBreak(String value) {
    assertThatIllegalArgumentException().isThrownBy(() -> Response.ok().header("Location", value));
  }
}
