package io.convoke.server.http.auth;

import io.convoke.engine.crypto.Sha256Hash;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A configured secret that a caller has to show; compared in constant time, never printed. */
final class SharedSecret {
  private final byte[] digest;

  SharedSecret(String secret) {
    this.digest = Sha256Hash.of(secret);
  }

  boolean equalTo(String shown) {
    return MessageDigest.isEqual(digest, Sha256Hash.of(shown));
  }

  /** An identifier of a secret that does not reveal it, valid within this process only. */
  static String keyedHash(byte[] key, String secret) {
    return HexFormat.of().formatHex(Sha256Hash.of(key, secret.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public String toString() {
    return "***";
  }
}
