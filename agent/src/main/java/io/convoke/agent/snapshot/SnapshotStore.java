package io.convoke.agent.snapshot;

import java.io.IOException;

/** Where pictures are kept. */
interface SnapshotStore {
  /**
   * Keeps a picture, whole or not at all, under a name that nothing has yet.
   *
   * @param name segments of letters, digits, dots, dashes and underscores, divided by slashes
   * @throws IOException if the store is out of reach or full, or has that name already
   */
  void keep(String name, byte[] picture) throws IOException;
}
