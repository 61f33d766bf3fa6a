package io.convoke.chaos.bots.rules;

import java.time.Instant;

/** A bot's call that a server answered, whether or not the bot received the response. */
public record BotCall(Instant at, String connectionId, String name, int status) {

  /** Whether the call proved to the server that the bot is alive. */
  boolean sign() {
    return status == 200;
  }

  /** Whether the response was 410. */
  boolean refuses(BotEndState bot) {
    return status == 410 && connectionId.equals(bot.connectionId());
  }
}
