package io.convoke.agent.snapshot;

import java.io.IOException;

/** Stores pictures. */
interface SnapshotStore {
  /**
   * Stores a picture atomically under a new name.
   *
   * @param name segments of letters, digits, dots, dashes and underscores, divided by slashes
   * @throws IOException if the store is unreachable or full, or the name exists
   */
  void keep(String name, byte[] picture) throws IOException;
}
