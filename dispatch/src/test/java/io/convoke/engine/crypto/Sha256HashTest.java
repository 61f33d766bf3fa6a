package io.convoke.engine.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Against the examples of FIPS 180-4, and what {@code sha256sum} says of a text in UTF-8. */
class Sha256HashTest {
  @Test
  void textsAndPartsHaveTheHashOfTheirBytes() {
    assertThat(hex(Sha256Hash.of("abc")))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(hex(Sha256Hash.of("\u00e9")))
        .isEqualTo("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
    assertThat(Sha256Hash.of("ab".getBytes(UTF_8), "c".getBytes(UTF_8)))
        .isEqualTo(Sha256Hash.of("abc"));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
