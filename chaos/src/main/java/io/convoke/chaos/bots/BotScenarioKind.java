package io.convoke.chaos.bots;

import java.util.Locale;

/** What a bot encounters: a kind of room, or a launcher that misbehaves. */
enum BotScenarioKind {
  /** Room with a participant. */
  OPEN,
  /** Room without participants. */
  EMPTY,
  /** Lobby that admits after a while. */
  LOBBY,
  /** Lobby that denies admission. */
  DENIED,
  /** Lobby that never answers. */
  CLOSED,
  /** Launch takes seconds. */
  SLOW,
  /** Program or image does not exist. */
  FAILS,
  /** Process exits with an error before its first callback. */
  CRASHES,
  /** Process exits with 0 before its first callback. */
  QUITS,
  /**
   * The launched process exits at once while the bot runs on as an orphan; a container exceeds its
   * memory limit instead.
   */
  FORKS,
  /** Process runs, sends no callbacks, and ignores SIGTERM. */
  DEAF;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Marker in the names of its rooms. */
  String mark() {
    return "-" + label() + "-";
  }

  /** Whether its bot launches normally, so that it must not end without a cause. */
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
