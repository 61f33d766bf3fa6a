package io.convoke.engine.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What is sealed opens for its purpose and with its key alone. */
class SecretBoxTest {
  private final byte[] oldKey = SecretBox.newKey();
  private final byte[] newKey = SecretBox.newKey();
  private final SecretBox box = SecretBox.of(oldKey);

  @Test
  void what_is_sealed_opens_again_and_never_looks_the_same() {
    String sealed = box.seal("tokens", "the secret");

    assertThat(box.open("tokens", sealed)).isEqualTo("the secret");
    assertThat(sealed).doesNotContain("secret").isNotEqualTo(box.seal("tokens", "the secret"));
  }

  @Test
  void another_purpose_key_or_bit_does_not_open() {
    byte[] sealed = box.seal("tokens", new byte[] {1, 2, 3});
    byte[] bent = sealed.clone();
    bent[bent.length - 1] ^= 1;

    for (Runnable attempt :
        new Runnable[] {
          () -> box.open("answers", sealed),
          () -> box.open("tokens", bent),
          () -> box.open("tokens", Arrays.copyOf(sealed, 10)),
          () -> SecretBox.of(newKey).open("tokens", sealed),
          () -> box.open("tokens", "not base64!")
        }) {
      assertThatThrownBy(attempt::run).isInstanceOf(SecretBox.UnsealFailure.class);
    }
  }

  @Test
  void keys_rotate() {
    String before = box.seal("tokens", "a");
    SecretBox rotating = SecretBox.of(newKey, oldKey);

    assertThat(rotating.open("tokens", before)).isEqualTo("a");
    assertThat(SecretBox.of(newKey).open("tokens", rotating.seal("tokens", "b"))).isEqualTo("b");
    assertThat(rotating.deriveAll("bot", "42"))
        .containsExactly(derived(SecretBox.of(newKey), "bot", "42"), derived(box, "bot", "42"));
  }

  @Test
  void derived_keys_differ_by_purpose_and_context() {
    byte[] derived = derived(box, "bot", "42");
    assertThat(derived).hasSize(32).isEqualTo(derived(SecretBox.of(oldKey), "bot", "42"));
    assertThat(derived(box, "bot", "43")).isNotEqualTo(derived);
    assertThat(derived(box, "pod", "42")).isNotEqualTo(derived);
  }

  private static byte[] derived(SecretBox box, String purpose, String context) {
    return box.deriveAll(purpose, context).getFirst();
  }

  @Test
  void a_key_of_another_length_is_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> SecretBox.of(new byte[16]));
    assertThatIllegalArgumentException().isThrownBy(SecretBox::of);
  }
}
