package io.convoke.server.presence;

/**
 * Names of the keys in Redis. Those without the prefix {@code convoke:} are part of the contract
 * (docs/spec/contract.md).
 */
final class PresenceKeys {

  /** Hash: room to the ids of its active meetings, comma separated. */
  static final String ROOMS = "convoke:rooms";

  /** Sorted set: meetings by the time they are due, in ms of Redis' clock. */
  static final String READY = "convoke:ready";

  /** List: at most one token, which wakes one waiting node to claim from the ready queue. */
  static final String WAKE = "convoke:presence:wake";

  /** String: random, set once the room map is complete; missing after a flush. */
  static final String GENERATION = "convoke:presence:generation";

  /** String: run id of the last known Redis server. */
  static final String SERVER = "convoke:presence:server";

  /** List: events of rooms that are not in the map, and dead letters. */
  static final String UNROUTED = "convoke:presence:unrouted";

  /** Sets: the event ids of one dedup window; the number of the window follows. */
  static final String EVENTS = "convoke:events:";

  /** Lock: one node drains {@link #UNROUTED}. */
  static final String UNROUTED_LOCK = "convoke:presence:unrouted:lock";

  /** Lock: one node makes a reconciliation tick. */
  static final String TICK_LOCK = "convoke:presence:tick";

  /** Lock: meetings that became live asked for a tick a moment ago. */
  static final String TICK_SOON = "convoke:presence:tick:soon";

  /** Hash: when the last reconciliation tick was made, and how. */
  static final String LAST_TICK = "convoke:presence:ticked";

  /** Hash: state of the webhook registration at the platform, and the derived webhook state. */
  static final String WEBHOOK = "convoke:presence:webhook";

  /** Lock: one node checks the webhook registration. */
  static final String WEBHOOK_LOCK = "convoke:presence:webhook:lock";

  /** Hashes: change counts by source; the number of the window follows. */
  static final String FOUND = "convoke:presence:found:";

  /** Lock: one node scans for flags set by other programs. */
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
