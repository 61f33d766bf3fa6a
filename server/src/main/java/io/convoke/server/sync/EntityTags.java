package io.convoke.server.sync;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/**
 * Entity tags of sync status (RFC 9110, 8.8.3): the version of a single record, a digest for
 * several.
 */
final class EntityTags {
  private static final int CHARS = 22;

  private EntityTags() {}

  static String of(SyncView view) {
    return '"' + view.tag() + '"';
  }

  /** The tag of a record that is neither stalled nor stale. */
  static String of(long version) {
    return "\"" + version + '"';
  }

  static String of(List<SyncView> views, List<String> missing) {
    StringBuilder all = new StringBuilder();
    views.forEach(view -> all.append(view.meetingId()).append(' ').append(view.tag()).append('\n'));
    missing.forEach(id -> all.append(id).append('\n'));
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(all.toString().getBytes(StandardCharsets.US_ASCII));
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
      return '"' + text.substring(0, CHARS) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Whether {@code If-None-Match} contains this tag, by weak comparison. */
  static boolean matches(String ifNoneMatch, String tag) {
    for (String candidate : ifNoneMatch.split(",", -1)) {
      String bare = candidate.strip();
      if (bare.equals("*") || (bare.startsWith("W/") ? bare.substring(2) : bare).equals(tag)) {
        return true;
      }
    }
    return false;
  }
}
