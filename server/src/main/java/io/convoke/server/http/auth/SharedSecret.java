package io.convoke.server.http.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A configured secret that a caller has to show; compared in constant time, never printed. */
final class SharedSecret {
  private final byte[] digest;

  SharedSecret(String secret) {
    this.digest = sha256(secret);
  }

  boolean equalTo(String shown) {
    return MessageDigest.isEqual(digest, sha256(shown));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** An identifier of a secret that does not reveal it, valid within this process only. */
  static String keyedHash(byte[] key, String secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(key);
      return HexFormat.of().formatHex(digest.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "***";
  }
}
