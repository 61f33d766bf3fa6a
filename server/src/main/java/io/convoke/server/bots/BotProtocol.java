package io.convoke.server.bots;

import java.util.Locale;

/** The callback protocol of a bot; column {@code meetings.bot_protocol}. */
public enum BotProtocol {
  /** {@code /callback/...}: ours, with heartbeats and acknowledged commands. */
  CONVOKE,
  /**
   * {@code /bots/internal/callback/...}: Vexa's image. It sends no heartbeat, so its launcher
   * speaks for it; it acknowledges nothing, so a command counts as taken once it was delivered.
   */
  VEXA;

  /** The value in the column. */
  String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  static BotProtocol of(String value) {
    return valueOf(value.toUpperCase(Locale.ROOT));
  }
}
