package io.convoke.server.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.join.JoinPass.JoinRole;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class JoinTokensTest {
  private static final Instant T = Instant.parse("2026-03-02T09:00:00Z");
  private final byte[] older = SecretBox.newKey();
  private final JoinTokens tokens = new JoinTokens(SecretBox.of(older));
  private final JoinPass guest = new JoinPass("stand-up_1", 7, JoinRole.GUEST, T.plusSeconds(60));

  @Test
  void aTokenTellsItsPassAndWhenItExpires() {
    String token = tokens.of(guest);
    assertThat(tokens.read(token)).contains(guest);
    assertThat(guest.expiredAt(guest.expires().minusMillis(1))).isFalse();
    assertThat(guest.expiredAt(guest.expires())).isTrue();
  }

  @Test
  void nothingInATokenCanBeChanged() {
    String token = tokens.of(guest);
    assertThat(tokens.read(token.replace("guest", "host"))).isEmpty();
    assertThat(tokens.read(token.replace("_7_", "_8_"))).isEmpty();
    assertThat(tokens.read(token.replaceFirst("_[0-9]{10}_", "_9999999999_"))).isEmpty();
    assertThat(tokens.read(token + "A")).isEmpty();
    assertThat(tokens.read("")).isEmpty();
    assertThat(new JoinTokens(SecretBox.of(SecretBox.newKey())).read(token)).isEmpty();
  }

  @Test
  void aTokenOutlivesARotation() {
    JoinTokens rotated = new JoinTokens(SecretBox.of(SecretBox.newKey(), older));
    assertThat(rotated.read(tokens.of(guest))).contains(guest);
    assertThat(tokens.read(rotated.of(guest))).isEmpty();
  }
}
