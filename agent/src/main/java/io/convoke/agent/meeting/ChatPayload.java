package io.convoke.agent.meeting;

import io.convoke.engine.json.Json;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A message of the chat as it is on a data channel: {@code {"type": "chat", "text": "..."}}. The
 * sender is whose channel it is.
 */
public final class ChatPayload {
  /** Characters of a message on the channel at most; a longer one is not read. */
  private static final int MAX = 16 * 1024;

  private ChatPayload() {}

  /** The message on the channel. */
  public static String of(String text) {
    return Json.write(Map.of("type", "chat", "text", text));
  }

  /** The text of a message on the channel; empty for everything that is no message of the chat. */
  public static Optional<String> text(String payload) {
    if (payload.length() > MAX) {
      return Optional.empty();
    }
    try {
      JsonNode message = Json.read(payload);
      JsonNode text = message.path("text");
      return message.path("type").asString("").equals("chat") && text.isString()
          ? Optional.of(text.asString()).filter(words -> !words.isBlank())
          : Optional.empty();
    } catch (JacksonException other) {
      return Optional.empty();
    }
  }
}
