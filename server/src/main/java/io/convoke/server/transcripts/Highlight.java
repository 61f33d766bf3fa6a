package io.convoke.server.transcripts;

import java.util.BitSet;
import java.util.Collection;

/**
 * A text as HTML that is safe to render: what was said is escaped, and the words that were found
 * are in {@code <mark>}. Of a long text only the surroundings of the first of them are shown.
 */
final class Highlight {
  private static final int CHARS_MAX = 400;
  private static final int CHARS_BEFORE = 120;
  private static final String CUT = "…";

  private Highlight() {}

  /**
   * Marks words.
   *
   * @param words in lower case, as they are in the text
   */
  static String of(String text, Collection<String> words) {
    BitSet marked = new BitSet(text.length());
    for (String word : words) {
      mark(text, word, marked);
    }
    int from = 0;
    int to = text.length();
    if (to > CHARS_MAX) {
      from = wordStart(text, Math.max(0, marked.nextSetBit(0) - CHARS_BEFORE));
      to = wordEnd(text, Math.min(to, from + CHARS_MAX));
    }
    StringBuilder html = new StringBuilder();
    html.append(from > 0 ? CUT : "");
    for (int at = from; at < to; at++) {
      if (marked.get(at) && (at == from || !marked.get(at - 1))) {
        html.append("<mark>");
      }
      append(html, text.charAt(at));
      if (marked.get(at) && (at + 1 == to || !marked.get(at + 1))) {
        html.append("</mark>");
      }
    }
    return html.append(to < text.length() ? CUT : "").toString();
  }

  private static void mark(String text, String word, BitSet marked) {
    int length = word.length();
    for (int at = 0; at + length <= text.length(); at++) {
      if (text.regionMatches(true, at, word, 0, length)
          && isEdge(text, at)
          && isEdge(text, at + length)) {
        marked.set(at, at + length);
      }
    }
  }

  /** Whether no word goes over this position. */
  private static boolean isEdge(String text, int at) {
    return at == 0
        || at == text.length()
        || !Character.isLetterOrDigit(text.codePointBefore(at))
        || !Character.isLetterOrDigit(text.codePointAt(at));
  }

  private static int wordStart(String text, int at) {
    int start = at;
    while (at - start < CHARS_BEFORE && !isEdge(text, start)) {
      start--;
    }
    return whole(text, start);
  }

  private static int wordEnd(String text, int at) {
    int end = at;
    while (end - at < CHARS_BEFORE && !isEdge(text, end)) {
      end++;
    }
    return whole(text, end);
  }

  /** Not within a surrogate pair; none is broken, since Postgres stores no half of one. */
  private static int whole(String text, int at) {
    return at < text.length() && Character.isLowSurrogate(text.charAt(at)) ? at - 1 : at;
  }

  private static void append(StringBuilder html, char c) {
    switch (c) {
      case '&' -> html.append("&amp;");
      case '<' -> html.append("&lt;");
      case '>' -> html.append("&gt;");
      case '"' -> html.append("&quot;");
      case '\'' -> html.append("&#39;");
      default -> html.append(c);
    }
  }
}
