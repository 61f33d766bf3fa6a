package io.convoke.chaos.bots;

/** A fault injected into a bot once its meeting reaches a status. */
enum BotFault {
  NONE("", ""),
  KILLED_BOOTING("reserved", "kill -9 while it boots"),
  KILLED_STARTING("starting", "kill -9 in the lobby"),
  KILLED_ACTIVE("active", "kill -9 in the meeting"),
  KILLED_STOPPING("stopping", "kill -9 while it leaves"),
  HUNG("active", "hangs in the meeting"),
  CUT_OFF("active", "its callbacks are dropped for a while"),
  /** The last two, and not drawn: each run has one of each. */
  HUNG_STARTING("starting", "hangs in the lobby"),
  DEAF_TO_COMMANDS("active", "hears no command, and goes on"),
  /** Not drawn: one has it. */
  LEAVES_SLOWLY("active", "its exit is reported late");

  private final String state;
  private final String description;

  BotFault(String state, String description) {
    this.state = state;
    this.description = description;
  }

  String state() {
    return state;
  }

  String description() {
    return description;
  }
}
