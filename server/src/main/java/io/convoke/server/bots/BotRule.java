package io.convoke.server.bots;

import java.util.Locale;

/** The rules by which the server asks a bot to leave. */
enum BotRule {
  /** It has run as long as it may. */
  MAX_LIFETIME,
  /** No participant has spoken for as long as its user allows. */
  SILENCE,
  /** What it reports to have heard does not grow: it has probably lost its meeting. */
  NO_PROGRESS;

  /** The reason of the bot's end. */
  String reason() {
    return name().toLowerCase(Locale.ROOT);
  }
}
