package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import org.junit.jupiter.api.Test;

class TaskIdGeneratorTest {
  @Test
  void theIdOfARequeuedTaskIsFoundAgainAfterARotation() {
    byte[] before = SecretBox.newKey();
    SecretBox rotated = SecretBox.of(SecretBox.newKey(), before);

    assertThat(TaskIdGenerator.instead(rotated, "t1"))
        .hasSize(2)
        .endsWith(TaskIdGenerator.instead(SecretBox.of(before), "t1").getFirst());
  }
}
