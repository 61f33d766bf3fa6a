package io.convoke.agent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A transcript segment. Start and end are seconds since the bot's session began.
 *
 * @param completed false for a draft, which a segment of the same start and speaker replaces
 */
public record TranscriptSegment(
    double start,
    double end,
    String text,
    Optional<String> speaker,
    Optional<String> language,
    boolean completed) {
  /** A segment whose words are final. */
  public TranscriptSegment(
      double start, double end, String text, Optional<String> speaker, Optional<String> language) {
    this(start, end, text, speaker, language, true);
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("start", start);
    json.put("end", end);
    json.put("text", text);
    speaker.ifPresent(name -> json.put("speaker", name));
    language.ifPresent(tongue -> json.put("language", tongue));
    if (!completed) {
      json.put("completed", false);
    }
    return json;
  }
}
