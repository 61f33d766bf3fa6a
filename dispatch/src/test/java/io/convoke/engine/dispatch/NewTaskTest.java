package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.crypto.AccessTokenSealer;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.json.Json;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Invalid tasks are rejected before they are stored. */
class NewTaskTest {
  /** Postgres would refuse it together with the whole batch. */
  @Test
  void thePayloadHoldsNoNul() {
    for (String payload :
        new String[] {
          "{\"a\": \"x\\u0000y\"}", "{\"\\u0000\": 1}", "{\"a\": [[{\"b\": \"\\u0000\"}]]}"
        }) {
      assertThatThrownBy(() -> task(payload))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("U+0000");
    }
    assertThat(task("{\"\": [\"\\u0001\", \"\\\\u0000\", null, 0]}").id()).isEqualTo("a");
  }

  @Test
  void aPayloadHas64KibibytesAtMostAsJsonInUtf8() {
    String empty = "{\"a\":\"\"}";
    String filled = "x".repeat(65_536 - empty.length());
    assertThat(task("{\"a\": \"%s\"}".formatted(filled)).id()).isEqualTo("a");
    assertThatThrownBy(() -> task("{\"a\": \"%sx\"}".formatted(filled)))
        .isInstanceOf(PayloadTooLarge.class)
        .hasMessageContaining("65537");
    assertThatThrownBy(() -> task("{\"a\": \"%s\"}".formatted(filled.replaceAll("x$", "\u00e9"))))
        .isInstanceOf(PayloadTooLarge.class);
  }

  /** The size that sealing adds does not count. */
  @Test
  void sealedTokensCountAsTheyWereBefore() {
    AccessTokenSealer tokens = new AccessTokenSealer(SecretBox.of(new byte[32]));
    for (String token : List.of("", "t", "token \u00e9 \\\"", "x".repeat(1000))) {
      ObjectNode open = Json.mapper().createObjectNode();
      open.put("access_token", token).putArray("deep").addObject().put("access_token", 7);
      assertThat(NewTask.payloadBytes(tokens.seal(open)))
          .isEqualTo(NewTask.payloadBytes(open))
          .isEqualTo(Json.bytes(open).length);
    }
  }

  private static NewTask task(String payload) {
    return new NewTask(
        "a",
        "req-a",
        "job",
        "start",
        "room",
        Optional.empty(),
        (ObjectNode) Json.read(payload),
        false,
        Optional.empty());
  }
}
