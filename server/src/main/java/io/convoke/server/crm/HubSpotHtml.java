package io.convoke.server.crm;

import io.convoke.server.crm.MeetingNote.MeetingNoteLine;
import java.util.List;
import java.util.Optional;

/**
 * A transcript as the HTML of {@code hs_meeting_body}: the summary, if there is one, then a
 * paragraph for each line, the speaker in bold. Words are escaped, so that nothing that was said or
 * that a participant is called becomes markup. A transcript that is too long ends with a note.
 */
final class HubSpotHtml {
  private static final String END = "<p><em>[shortened]</em></p>";
  private static final String CLOSE = "</p>";

  private HubSpotHtml() {}

  /** At most {@code most} characters, a quarter of them for the summary. */
  static String of(Optional<String> summary, List<MeetingNoteLine> lines, int most) {
    StringBuilder html = new StringBuilder();
    for (String paragraph : summary.map(text -> text.split("\n+", -1)).orElse(new String[0])) {
      String next = "<p>" + escaped(paragraph) + CLOSE;
      if (html.length() + next.length() > most / 4) {
        html.append(END);
        break;
      }
      html.append(html.isEmpty() ? "<p><strong>Summary</strong></p>" : "").append(next);
    }
    html.append(html.isEmpty() ? "" : "<p><strong>Transcript</strong></p>");
    return html.append(of(lines, most - html.length())).toString();
  }

  private static String of(List<MeetingNoteLine> lines, int most) {
    StringBuilder html = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      MeetingNoteLine line = lines.get(i);
      int before = html.length();
      html.append("<p>");
      line.speaker()
          .ifPresent(name -> html.append("<strong>").append(escaped(name)).append(":</strong> "));
      html.append(escaped(line.text())).append(CLOSE);
      if (html.length() > most - END.length()) {
        boolean last = i == lines.size() - 1;
        if (last && html.length() <= most) {
          return html.toString();
        }
        html.setLength(before);
        return html.append(cut(line.text(), most - END.length() - before)).append(END).toString();
      }
    }
    return html.toString();
  }

  /** A paragraph with the beginning of a text, or nothing if there is no room for one. */
  private static String cut(String text, int most) {
    StringBuilder html = new StringBuilder("<p>");
    int[] points = text.codePoints().toArray();
    for (int point : points) {
      String next = escaped(Character.toString(point));
      if (html.length() + next.length() + CLOSE.length() > most) {
        break;
      }
      html.append(next);
    }
    return html.length() + CLOSE.length() > most || html.length() == 3
        ? ""
        : html.append(CLOSE).toString();
  }

  /** Text as the content of an element; line breaks and control characters become spaces. */
  static String escaped(String text) {
    StringBuilder html = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            point -> {
              switch (point) {
                case '&' -> html.append("&amp;");
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '"' -> html.append("&quot;");
                case '\'' -> html.append("&#39;");
                default -> html.appendCodePoint(unprintable(point) ? ' ' : point);
              }
            });
    return html.toString();
  }

  private static boolean unprintable(int point) {
    return Character.isISOControl(point)
        || Character.getType(point) == Character.SURROGATE
        || (point & 0xFFFE) == 0xFFFE;
  }
}
