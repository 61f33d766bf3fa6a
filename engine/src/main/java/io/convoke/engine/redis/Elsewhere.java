package io.convoke.engine.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.io.Serial;
import java.util.Set;

/** A node of a cluster says that another one has the slot of a key. Nothing was done. */
final class Elsewhere extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /**
   * What a node says while its slot, or the cluster, is between two owners. ASK is among them on
   * purpose: the functions of a place would find half of it at either end of a move.
   */
  private static final Set<String> IN_BETWEEN =
      Set.of("ASK", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "UNBLOCKED");

  private final String address;

  private Elsewhere(String address, Throwable cause) {
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

  /** What a refusal means: where else to ask, that nobody can be asked, or a fault of the call. */
  static RuntimeException translated(RedisCommandExecutionException refused) {
    String[] words = String.valueOf(refused.getMessage()).split(" ", 4);
    if (words[0].equals("MOVED") && words.length > 2) {
      return new Elsewhere(words[2], refused);
    }
    return IN_BETWEEN.contains(words[0]) ? new RedisUnavailable(refused) : refused;
  }
}
