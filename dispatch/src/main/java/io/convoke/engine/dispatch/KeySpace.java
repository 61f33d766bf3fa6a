package io.convoke.engine.dispatch;

import io.lettuce.core.cluster.SlotHash;

/**
 * Where the keys of a group of tasks begin. A function touches the keys of one place only.
 *
 * <p>One Redis has one place, {@code convoke:}. On a cluster each region has one and the global
 * queue has one, each with a hash tag, so that a place lies in one slot; a task stays in the place
 * that it was taken in for all its life (docs/reference/dispatch.md, "Redis Cluster").
 */
public record KeySpace(String prefix) {
  /** The name of the queue that no region owns. */
  public static final String GLOBAL = "global";

  /** The place of a Redis that is no cluster. */
  public static final KeySpace ONE = new KeySpace("convoke:");

  /** The place of a region, or of {@link #GLOBAL}, on a cluster. */
  public static KeySpace of(String region) {
    return new KeySpace("convoke:{" + region + "}:");
  }

  /** The region that the tasks of a lane asked for, or {@link #GLOBAL}. */
  static String regionOf(String lane) {
    return lane.startsWith(GLOBAL + ":") ? lane.substring(GLOBAL.length() + 1) : lane;
  }

  /** Whether the pods of a region are at home here. */
  boolean isHomeOf(String region) {
    return equals(ONE) || !prefix.startsWith("convoke:{") || equals(of(region));
  }

  public String task(String id) {
    return prefix + "task:" + id;
  }

  /** What waits in a queue, by deadline in ms. */
  public String queue(String lane) {
    return prefix + "queue:" + lane;
  }

  /** The tokens that wake a pod that takes all types and waits for work of a region, or of any. */
  String wake(String region) {
    return own("wake:" + region);
  }

  /** The same for the pods that take named types only, of which this is one. */
  String wake(String region, String type) {
    return wake(region) + ":" + type;
  }

  /** What a pod is told beside work: that something is to stop. */
  String inbox(String pod) {
    return own("inbox:" + pod);
  }

  /** The ids of what a pod has, by when its leases end. */
  String leases(String pod) {
    return own("leases:" + pod);
  }

  /** The tokens that wake those who tend. */
  String maintenanceList() {
    return own("tend");
  }

  /** Every move, in its order, until the ledger has it. */
  String outbox() {
    return own("outbox");
  }

  /** Random, set once this place holds all that the ledger knows; missing after a flush. */
  String generation() {
    return own("generation");
  }

  /** The run id of the server that this place was last whole on. */
  String server() {
    return own("server");
  }

  String own(String name) {
    return prefix + "dispatch:" + name;
  }

  /** The cluster's slot of all keys, meaningful with a hash tag only. */
  int slot() {
    return SlotHash.getSlot(prefix);
  }
}
