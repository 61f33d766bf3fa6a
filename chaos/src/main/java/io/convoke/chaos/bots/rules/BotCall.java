package io.convoke.chaos.bots.rules;

import java.time.Instant;

/** A bot's call that a server answered, whether or not the bot heard the answer. */
public record BotCall(Instant at, String connectionId, String name, int status) {

  /** Whether the server now knows that the bot lives. */
  boolean sign() {
    return status == 200;
  }

  /** Whether it told this bot that it is over. */
  boolean refuses(BotEndState botEndState) {
    return status == 410 && connectionId.equals(botEndState.connectionId());
  }
}
