package io.convoke.cli;

import java.util.ArrayList;
import java.util.List;

/** A table for people: columns as wide as their longest value, and a line of headings. */
final class TextTable {
  private static final int WIDEST = 60;
  private static final String GAP = "  ";

  private final List<List<String>> lines = new ArrayList<>();

  TextTable(String... headings) {
    lines.add(List.of(headings));
  }

  /** Adds a line; what a terminal would obey is shown as a question mark. */
  void add(List<String> values) {
    lines.add(values.stream().map(TextTable::shown).toList());
  }

  /** Text from a server, harmless and short enough for a terminal. */
  static String shown(String value) {
    String plain = value.replaceAll("\\p{Cc}", "?");
    return plain.length() > WIDEST ? plain.substring(0, WIDEST - 1) + "…" : plain;
  }

  /** The text; only the headings without lines. */
  String text() {
    int columns = lines.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> line : lines) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder row = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        row.append(line.get(i));
        row.repeat(' ', widths[i] - line.get(i).length());
        row.append(GAP);
      }
      text.append(row.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
