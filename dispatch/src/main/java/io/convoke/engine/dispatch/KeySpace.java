package io.convoke.engine.dispatch;

import io.lettuce.core.cluster.SlotHash;

/**
 * The key prefix of a group of tasks. A script touches the keys of one key space.
 *
 * <p>A single Redis has one key space, {@code convoke:}. A cluster has one for each region and one
 * for the global queue, each with a hash tag, so that a key space lies in one slot; a task stays in
 * its key space for good (docs/explanation/dispatch.md, "Redis Cluster").
 */
public record KeySpace(String prefix) {
  /** The queue of tasks without a region. */
  public static final String GLOBAL = "global";

  /** The key space of a single Redis. */
  public static final KeySpace ONE = new KeySpace("convoke:");

  /** The key space of a region, or of {@link #GLOBAL}, on a cluster. */
  public static KeySpace of(String region) {
    return new KeySpace("convoke:{" + region + "}:");
  }

  /** The region of a queue or of its overflow queue, or {@link #GLOBAL}. */
  static String regionOf(String lane) {
    return lane.startsWith(GLOBAL + ":") ? lane.substring(GLOBAL.length() + 1) : lane;
  }

  /** Whether this is the home key space of a region; one without a hash tag is that of all. */
  boolean isHomeOf(String region) {
    return !prefix.startsWith("convoke:{") || equals(of(region));
  }

  public String task(String id) {
    return prefix + "task:" + id;
  }

  /** Sorted set of a queue's pending tasks, by deadline in ms. */
  public String queue(String lane) {
    return prefix + "queue:" + lane;
  }

  /** List of wake-up tokens for pods that take all types. */
  String wake(String region) {
    return own("wake:" + region);
  }

  /** List of wake-up tokens for pods that take only named types, for one type. */
  String wake(String region, String type) {
    return wake(region) + ":" + type;
  }

  /** List of messages to a pod: renew, stop, drain. */
  String inbox(String pod) {
    return own("inbox:" + pod);
  }

  /** Sorted set of a pod's task ids, by lease end. */
  String leases(String pod) {
    return own("leases:" + pod);
  }

  /** List of tokens that wake the maintainers. */
  String maintenanceList() {
    return own("tend");
  }

  /** Stream of transitions that the database has not stored yet. */
  String outbox() {
    return own("outbox");
  }

  /** Stream of the newest transitions that the database refused, for operators. */
  String refused() {
    return own("refused");
  }

  /**
   * Random id, set once this key space holds all that the database knows; missing after a flush.
   */
  String generation() {
    return own("generation");
  }

  /** The run id of the Redis server on which this key space was last compared with the database. */
  String server() {
    return own("server");
  }

  String own(String name) {
    return prefix + "dispatch:" + name;
  }

  /** The cluster slot of all keys; meaningful only with a hash tag. */
  int slot() {
    return SlotHash.getSlot(prefix);
  }
}
