package io.convoke.server;

/** What a process of the fleet does; {@code --roles} names them. */
public enum NodeRole {
  /** Serves HTTP, webhooks and callbacks, and consumes nothing. */
  API,
  /** Polls who is in the room and reconciles. */
  PRESENCE,
  /** Finds and processes recordings. */
  RECORDINGS,
  /** Launches, sweeps and stops bots. */
  BOTS,
  /** Runs workflows. */
  DURABLE,
  /** Keeps tasks moving: timeouts, leases, overflow. */
  DISPATCH,
  /** Watches sync status. */
  SYNC
}
