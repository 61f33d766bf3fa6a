package io.convoke.server.presence;

/** The names in Redis. Those without {@code convoke:} are seed 000's and fixed for good. */
final class PresenceKeys {

  /** Hash: room to the ids of its active meetings, comma separated. */
  static final String ROOMS = "convoke:rooms";

  /** Sorted set: meetings by the time they are due, in ms of Redis' clock. */
  static final String READY = "convoke:ready";

  /** List: at most one token, so that one waiting node looks at the ready queue. */
  static final String WAKE = "convoke:presence:wake";

  /** Random, set once the map of rooms is whole; missing after a flush. */
  static final String GENERATION = "convoke:presence:generation";

  /** String: the run id of the Redis server that was last worked with. */
  static final String SERVER = "convoke:presence:server";

  /** List: events of rooms that the map does not know, and what nobody understood. */
  static final String UNROUTED = "convoke:presence:unrouted";

  /** Sets: the event ids of one dedup window; the number of the window follows. */
  static final String EVENTS = "convoke:events:";

  /** Lock: one node drains {@link #UNROUTED}. */
  static final String UNROUTED_LOCK = "convoke:presence:unrouted:lock";

  /** Lock: one node makes a reconciliation tick. */
  static final String TICK_LOCK = "convoke:presence:tick";

  /** Hash: when the last reconciliation tick was made, and how. */
  static final String TICKED = "convoke:presence:ticked";

  /** Hash: how our webhook stands at the platform, and what follows from it. */
  static final String WEBHOOK = "convoke:presence:webhook";

  /** Lock: one node looks how the webhook stands. */
  static final String WEBHOOK_LOCK = "convoke:presence:webhook:lock";

  /** Hashes: changes by the path that found them; the number of the window follows. */
  static final String FOUND = "convoke:presence:found:";

  /** Lock: one node looks for flags of strangers. */
  static final String STRAYS_LOCK = "convoke:presence:strays";

  /** Lock: one node rebuilds the map. */
  static final String REBUILD_LOCK = "convoke:presence:rebuild";

  private PresenceKeys() {}

  static String flag(long meeting) {
    return "meeting_poll_requested:" + meeting;
  }

  static String pollLock(long meeting) {
    return "meeting_presence_poll:" + meeting;
  }

  static String processLock(long meeting) {
    return "meeting_process_lock:" + meeting;
  }

  static String state(long meeting) {
    return "convoke:presence:" + meeting;
  }

  static String evidence(long meeting) {
    return "convoke:evidence:" + meeting;
  }

  static String node(String node) {
    return "convoke:node:" + node;
  }
}
