package io.convoke.agent;

/** Text as reports may hold it: bounded, and without what the control plane cannot store. */
final class ReportText {
  private ReportText() {}

  /** The beginning of a text, without NUL and halves of surrogate pairs. */
  static String cut(String text, int maxCodePoints) {
    return text.codePoints()
        .filter(point -> point != 0 && Character.getType(point) != Character.SURROGATE)
        .limit(maxCodePoints)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** The same on one line: control characters become spaces. */
  static String line(String text, int maxCodePoints) {
    return cut(text.replaceAll("[\\x00-\\x1f\\x7f-\\x9f]", " ").strip(), maxCodePoints);
  }
}
