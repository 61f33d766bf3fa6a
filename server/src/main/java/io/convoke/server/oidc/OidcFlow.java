package io.convoke.server.oidc;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.crypto.Sha256Hash;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * A sign-in that has begun: what must come back from the issuer, and what only this browser and we
 * know. It travels sealed in a cookie.
 *
 * @param state binds the issuer's answer to this browser
 * @param nonce binds the ID token to this sign-in
 * @param codeVerifier binds the code to us (PKCE)
 */
record OidcFlow(Instant end, String state, String nonce, String codeVerifier, String redirectUri) {
  /** How long a person may take to sign in at the issuer. */
  static final Duration LIFE = Duration.ofMinutes(10);

  private static final String PURPOSE = "oidc-flow";
  private static final int PARTS = 5;
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  static OidcFlow begin(String redirectUri, Instant now) {
    return new OidcFlow(now.plus(LIFE), secret(), secret(), secret(), redirectUri);
  }

  /** What the issuer compares with the verifier: S256 of RFC 7636. */
  String codeChallenge() {
    return base64(Sha256Hash.of(codeVerifier));
  }

  /** Whether the issuer's answer is to this sign-in. */
  boolean isAnsweredBy(String answeredState) {
    return MessageDigest.isEqual(Sha256Hash.of(state), Sha256Hash.of(answeredState));
  }

  String seal(SecretBox box) {
    return box.seal(
        PURPOSE,
        String.join(
            " ", String.valueOf(end.getEpochSecond()), state, nonce, codeVerifier, redirectUri));
  }

  /** The sign-in in a cookie; empty if it was not sealed by us, or is over. */
  static Optional<OidcFlow> open(SecretBox box, String sealed, Instant now) {
    try {
      String[] parts = box.open(PURPOSE, sealed).split(" ", PARTS);
      OidcFlow flow =
          new OidcFlow(
              Instant.ofEpochSecond(Long.parseLong(parts[0])),
              parts[1],
              parts[2],
              parts[3],
              parts[4]);
      return Optional.of(flow).filter(it -> it.end.isAfter(now));
    } catch (SecretBox.UnsealFailure _) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return "OidcFlow[until " + end + "]";
  }

  private static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    String text = base64(bytes);
    Arrays.fill(bytes, (byte) 0);
    return text;
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
