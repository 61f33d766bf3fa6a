package io.convoke.engine.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.convoke.engine.json.Json;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** What cannot be a task, said before anybody writes it. */
class NewTaskTest {
  /** Postgres would refuse it, and with it everybody who shares the transaction. */
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
