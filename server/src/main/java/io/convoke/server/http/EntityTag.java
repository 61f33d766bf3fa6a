package io.convoke.server.http;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** Entity tags of answers and their comparison (RFC 9110, 8.8.3 and 13.1.2). */
public final class EntityTag {
  private static final int CHARS = 22;

  private EntityTag() {}

  /** The strong tag of these bytes: a digest in quotes. */
  public static String of(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
      return '"' + text.substring(0, CHARS) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Whether {@code If-None-Match} contains this tag, by weak comparison. */
  public static boolean matches(String ifNoneMatch, String tag) {
    for (String candidate : ifNoneMatch.split(",", -1)) {
      String bare = candidate.strip();
      if (bare.equals("*") || (bare.startsWith("W/") ? bare.substring(2) : bare).equals(tag)) {
        return true;
      }
    }
    return false;
  }
}
