package io.convoke.agent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A transcript segment. Start and end are seconds since the bot's session began.
 *
 * @param completed false for a draft, which a segment of the same start and speaker replaces
 * @param level how loud the words are in dBov (RFC 6464), -127 to 0, where the bot measures it
 */
public record TranscriptSegment(
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    boolean completed,
    OptionalDouble level) {
  private static final int TEXT_MAX = 4096;

  /** Without a level. */
  public TranscriptSegment(
      double start,
      double end,
      String text,
      Optional<String> speaker,
      Optional<String> language,
      boolean completed) {
    this(start, end, text, speaker, language, completed, OptionalDouble.empty());
  }

  /** A segment whose words are final. */
  public TranscriptSegment(
      double start, double end, String text, Optional<String> speaker, Optional<String> language) {
    this(start, end, text, speaker, language, true);
  }

  /** Whether it has words. One without is not sent: the others in its report were refused too. */
  boolean hasWords() {
    return !ReportText.cut(text, 1).isEmpty();
  }

  /** Cut to what a report may hold: a stranger's name must not stop the others. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("start", start);
    json.put("end", end);
    json.put("text", ReportText.cut(text, TEXT_MAX));
    Attendee.line(speaker).ifPresent(name -> json.put("speaker", name));
    language.ifPresent(tongue -> json.put("language", tongue));
    if (!completed) {
      json.put("completed", false);
    }
    level.ifPresent(decibels -> json.put("level_db", decibels));
    return json;
  }
}
