package io.convoke.agent;

import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A command to the bot. The same command may arrive several times and by two channels, under one
 * id.
 *
 * @param action {@code leave}, {@code reconfigure}, {@code speak} or {@code chat}; others are
 *     acknowledged and ignored
 * @param body the whole message
 */
public record BotCommand(String id, String action, JsonNode body) {
  static Optional<BotCommand> of(JsonNode message) {
    JsonNode id = message.path("id");
    JsonNode action = message.path("action");
    return id.isString() && action.isString()
        ? Optional.of(new BotCommand(id.asString(), action.asString(), message))
        : Optional.empty();
  }

  /** The new language, bot name or task, where the command changes it. */
  public Optional<String> setting(String name) {
    JsonNode value = body.path(name);
    return value.isString() ? Optional.of(value.asString()) : Optional.empty();
  }
}
