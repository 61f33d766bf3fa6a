package io.convoke.release.docs;

import java.util.ArrayDeque;
import java.util.Deque;

/** Arithmetic of relative links. */
final class SitePaths {
  private SitePaths() {}

  /** The path that a link in the file at {@code from} names; both from the same root. */
  static String resolve(String from, String link) {
    if (link.isEmpty()) {
      return from;
    }
    Deque<String> parts = new ArrayDeque<>();
    int folder = from.lastIndexOf('/');
    String whole = (folder < 0 ? "" : from.substring(0, folder + 1)) + link;
    for (String part : whole.split("/", -1)) {
      if (part.equals("..") && !parts.isEmpty() && !parts.getLast().equals("..")) {
        String _ = parts.removeLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    return String.join("/", parts);
  }
}
