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
  private static final int LANGUAGE_MAX = 35;
  private static final double SECONDS_MAX = 1e7;
  private static final double LEVEL_MIN = -127;

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

  /**
   * Cut to what a report may hold: a stranger's name, or silence that has no level, must not stop
   * the others.
   */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("start", bounded(start, 0, SECONDS_MAX));
    json.put("end", bounded(end, 0, SECONDS_MAX));
    json.put("text", ReportText.cut(text, TEXT_MAX));
    Attendee.line(speaker).ifPresent(name -> json.put("speaker", name));
    language
        .map(tongue -> ReportText.line(tongue, LANGUAGE_MAX))
        .filter(tongue -> !tongue.isEmpty())
        .ifPresent(tongue -> json.put("language", tongue));
    if (!completed) {
      json.put("completed", false);
    }
    level.ifPresent(decibels -> json.put("level_db", bounded(decibels, LEVEL_MIN, 0)));
    return json;
  }

  /** What is nearest to it within these; the least for what is no number. */
  private static double bounded(double number, double least, double most) {
    return Double.isNaN(number) ? least : Math.clamp(number, least, most);
  }
}
