package io.convoke.chaos.bots;

import java.util.Locale;

/** What awaits a bot: a kind of room, or a launcher that does not do what it says. */
enum BotScenarioKind {
  /** Somebody is there already. */
  OPEN,
  /** Nobody ever comes. */
  EMPTY,
  /** A door that opens after a while. */
  LOBBY,
  /** A door that is shut in the bot's face. */
  DENIED,
  /** A door that nobody opens. */
  CLOSED,
  /** The launch takes seconds. */
  SLOW,
  /** There is no such program, or image. */
  FAILS,
  /** The process ends badly before it says anything. */
  CRASHES,
  /** The process ends well before it says anything. */
  QUITS,
  /**
   * What was launched ends at once, and the bot runs on behind the launcher's back. A container
   * uses up its memory instead.
   */
  FORKS,
  /** It runs, never calls, and does not heed SIGTERM. */
  DEAF;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What the names of its rooms have in them. */
  String mark() {
    return "-" + label() + "-";
  }

  /** Whether its bot is launched as it should be, so that it must not end by itself. */
  boolean honest() {
    return switch (this) {
      case OPEN, EMPTY, LOBBY, DENIED, CLOSED, SLOW -> true;
      case FAILS, CRASHES, QUITS, FORKS, DEAF -> false;
    };
  }

  /** The kind of a room, by its name. */
  static BotScenarioKind of(String room) {
    return valueOf(room.split("-", -1)[1].toUpperCase(Locale.ROOT));
  }
}
