package io.convoke.chaos.bots;

import java.util.List;
import java.util.Map;

/** The bots that actually run, observed independently of the servers: processes or containers. */
interface BotProcesses {

  /** What runs one bot. */
  interface BotProcessHandle {
    /** Ends it with SIGKILL. */
    void kill();

    /** Suspends it. */
    void hang();
  }

  /**
   * The process or container of one bot.
   *
   * @param recorded whether the launcher has a record of it
   */
  record BotProcessState(
      long meetingId, String name, List<BotProcessHandle> bodies, boolean recorded) {}

  /** Running bots, by meeting. */
  Map<Long, BotProcessState> list();

  /** Kills leftovers before the next run. */
  void endAll();
}
