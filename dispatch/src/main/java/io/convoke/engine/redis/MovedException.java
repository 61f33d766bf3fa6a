package io.convoke.engine.redis;

import java.io.Serial;

/**
 * A cluster node answered MOVED or ASK: another node serves the key's slot. Nothing was executed.
 */
final class MovedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String address;

  MovedException(String address, Throwable cause) {
    super(
        "this Redis is a node of a cluster and does not have all keys: name the cluster, as"
            + " redis-cluster://host:port",
        cause);
    this.address = address;
  }

  /** The address as the node told it: {@code host:port}, the host empty where it is its own. */
  String address() {
    return address;
  }
}
