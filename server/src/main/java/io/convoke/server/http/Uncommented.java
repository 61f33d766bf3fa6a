package io.convoke.server.http;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A script or a style sheet without its comments, which a browser has no use for: a fifth of what
 * would be sent (docs/decisions/0027-sent-without-comments.md). It goes by lines: comments that
 * stand on lines of their own, and casts to a type within a line. Lines keep their numbers, so what
 * a browser complains of is found in the source.
 */
final class Uncommented {
  private static final Pattern CAST = Pattern.compile("/\\*\\* @type [^\\n]*?\\*/ ?");

  private Uncommented() {}

  static String of(String source) {
    List<String> kept = new ArrayList<>();
    boolean inside = false;
    for (String line : source.split("\n", -1)) {
      String text = line.strip();
      boolean begins = !inside && text.startsWith("/*");
      boolean block = inside || begins;
      int end = text.indexOf("*/", begins ? 2 : 0);
      if (block && end < 0) {
        inside = true;
        kept.add("");
      } else if (block && end == text.length() - 2) {
        inside = false;
        kept.add("");
      } else {
        String code = inside ? text.substring(end + 2) : line;
        inside = false;
        kept.add(text.startsWith("//") ? "" : CAST.matcher(code).replaceAll(""));
      }
    }
    return String.join("\n", kept);
  }
}
