package io.convoke.server;

/** The roles of a server process, set by {@code --roles}. */
public enum NodeRole {
  /** Serves HTTP, webhooks and callbacks; runs no background work. */
  API,
  /** Polls and reconciles presence. */
  PRESENCE,
  /** Finds and processes recordings. */
  RECORDINGS,
  /** Launches, sweeps and stops bots. */
  BOTS,
  /** Runs workflows. */
  DURABLE,
  /** Maintains the task queues: timeouts, leases, overflow. */
  DISPATCH,
  /** Detects stalled syncs. */
  SYNC
}
