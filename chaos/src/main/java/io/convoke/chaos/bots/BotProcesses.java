package io.convoke.chaos.bots;

import java.util.List;
import java.util.Map;

/** The bots that really run, seen past the servers: processes of a machine, or containers. */
interface BotProcesses {

  /** What is behind one bot. */
  interface BotProcessHandle {
    /** Ends it with SIGKILL. */
    void kill();

    /** Freezes it. */
    void hang();
  }

  /**
   * What runs of one bot.
   *
   * @param recorded whether its launcher can know it
   */
  record BotProcessState(
      long meetingId, String name, List<BotProcessHandle> bodies, boolean recorded) {}

  /** What runs now, by meeting. */
  Map<Long, BotProcessState> list();

  /** Ends what should have ended, so that the next run begins on a clean machine. */
  void endAll();
}
