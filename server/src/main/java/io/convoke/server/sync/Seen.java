package io.convoke.server.sync;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one look into Redis saw.
 *
 * @param values by key; a key that has none is not here
 * @param changed keys that were not read, because they were remembered, and changed meanwhile
 * @param generation of what Redis holds; empty if it has none, or nobody asked for it
 * @param way the connection that was looked through; empty if Redis was away or late
 */
record Seen(
    Map<String, KeptText> values, Set<String> changed, String generation, Optional<Object> way) {
  static final Seen NOTHING = new Seen(Map.of(), Set.of(), "", Optional.empty());

  /** Whether it says of each of them what Redis held after the question. */
  boolean answers(Collection<String> keys) {
    return changed.isEmpty() || keys.stream().noneMatch(changed::contains);
  }
}
