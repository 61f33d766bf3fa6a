package io.convoke.server.http;

import io.convoke.engine.crypto.Sha256Hash;
import java.util.Base64;

/** Entity tags of answers and their comparison (RFC 9110, 8.8.3 and 13.1.2). */
public final class EntityTag {
  private static final int CHARS = 22;

  private EntityTag() {}

  /** The strong tag of these bytes: a digest in quotes. */
  public static String of(byte[] content) {
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256Hash.of(content));
    return '"' + text.substring(0, CHARS) + '"';
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
