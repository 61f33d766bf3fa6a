package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.seal.SecretBox;
import org.junit.jupiter.api.Test;

class TaskIdsTest {
  @Test
  void theIdOfARequeuedTaskIsFoundAgainAfterARotation() {
    byte[] before = SecretBox.newKey();
    SecretBox rotated = SecretBox.of(SecretBox.newKey(), before);

    assertThat(TaskIds.instead(rotated, "t1"))
        .hasSize(2)
        .endsWith(TaskIds.instead(SecretBox.of(before), "t1").getFirst());
  }
}
