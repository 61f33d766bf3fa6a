package io.convoke.agent;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A message of the meeting's chat that the bot has read.
 *
 * @param id names it in the bot's session; reported again under this id it is stored once
 * @param sender the name of its author, if known
 */
public record ChatMessage(String id, Optional<String> sender, String text, Instant at) {
  private static final int ID_MAX = 128;
  private static final int TEXT_MAX = 4096;

  /** Whether it has words. One without is not sent: the others in its report were refused too. */
  boolean hasWords() {
    return !ReportText.cut(text, 1).isEmpty();
  }

  /** Cut to what a report may hold: a stranger's long message must not stop the others. */
  Map<String, Object> json(boolean fromBot) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", ReportText.line(id, ID_MAX));
    Attendee.line(sender).ifPresent(name -> json.put("sender", name));
    json.put("text", ReportText.cut(text, TEXT_MAX));
    json.put("at", at.toString());
    if (fromBot) {
      json.put("from_bot", true);
    }
    return json;
  }
}
