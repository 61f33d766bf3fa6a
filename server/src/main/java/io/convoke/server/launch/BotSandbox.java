package io.convoke.server.launch;

import io.convoke.engine.json.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a bot's container may do. Without a template: nothing as root, no capability, no new
 * privileges, a bounded number of processes, a read-only root, and {@code /tmp}, {@code /dev/shm}
 * and a home in memory or scratch space.
 *
 * @param imageDecides whether the image's own user runs and may write the root file system, as
 *     Vexa's image needs; everything else holds for it too
 * @param template the operator's changes to what the launcher sends
 */
public record BotSandbox(boolean imageDecides, ObjectNode template) {
  /** The user and group of bots; any non-root number will do, this one is common in images. */
  public static final int USER = 65532;

  /** The bot's home, the only place besides {@code /tmp} and {@code /dev/shm} to write to. */
  public static final String HOME = "/home/bot";

  /** Processes and threads of one bot; a browser has some hundreds. */
  public static final int PIDS_MAX = 1024;

  /** The bound of {@code /dev/shm} in bytes: browsers crash with the 64 MiB that engines give. */
  public static final long SHARED_MEMORY_BYTES = 1L << 30;

  /** The bound of {@code /tmp} and of the home in bytes, each. */
  public static final long SCRATCH_BYTES = 1L << 30;

  /** The defaults alone. */
  public static final BotSandbox HARDENED = new BotSandbox(false, Json.mapper().createObjectNode());
}
