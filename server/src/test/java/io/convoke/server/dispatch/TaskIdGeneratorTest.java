package io.convoke.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TaskIdGeneratorTest {
  private static final String FORM = "[0-9a-f]{24}";

  @Test
  void theIdOfARequeuedTaskIsFoundAgainAfterARotation() {
    byte[] before = SecretBox.newKey();
    SecretBox rotated = SecretBox.of(SecretBox.newKey(), before);

    assertThat(TaskIdGenerator.instead(rotated, "t1"))
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches(FORM))
        .endsWith(TaskIdGenerator.instead(SecretBox.of(before), "t1").getFirst());
  }

  @Test
  void aRequeuedTaskHasAnIdOfItsOwn() {
    SecretBox secrets = SecretBox.of(SecretBox.newKey());
    assertThat(TaskIdGenerator.instead(secrets, "t1"))
        .isNotEqualTo(TaskIdGenerator.instead(secrets, "t2"));
  }

  @Test
  void aFreshIdIsRandom() {
    assertThat(Stream.generate(TaskIdGenerator::fresh).limit(100))
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches(FORM));
  }
}
