package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.OrchestrationItem;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Parked executions in memory, so that their next turn need not replay. An execution after turn n
 * may continue with turn n + 1 only: otherwise another node has run a turn in between. An instance
 * with the id of a deleted one counts its turns anew, so the times of creation are compared too.
 */
final class ExecutionCache {
  private record CachedExecution(long turn, Instant createdAt, WorkflowExecution execution) {}

  private final int capacity;
  private final LinkedHashMap<String, CachedExecution> parked =
      new LinkedHashMap<>(16, 0.75f, true);

  ExecutionCache(int capacity) {
    this.capacity = capacity;
  }

  /** Removes and returns the execution if it can continue with this turn. */
  synchronized Optional<WorkflowExecution> take(OrchestrationItem item) {
    CachedExecution found = parked.remove(item.instanceId());
    if (found == null) {
      return Optional.empty();
    }
    if (found.turn + 1 != item.turn() || !found.createdAt.equals(item.createdAt())) {
      found.execution.abandon();
      return Optional.empty();
    }
    return Optional.of(found.execution);
  }

  /**
   * Adds an execution after its turn, and evicts the least recently used one if the cache is full.
   */
  synchronized void keep(OrchestrationItem item, WorkflowExecution workflowExecution) {
    CachedExecution _ =
        parked.put(
            item.instanceId(),
            new CachedExecution(item.turn(), item.createdAt(), workflowExecution));
    if (parked.size() > capacity) {
      Map.Entry<String, CachedExecution> eldest = parked.firstEntry();
      CachedExecution _ = parked.remove(eldest.getKey());
      eldest.getValue().execution.abandon();
    }
  }

  synchronized void clear() {
    parked.values().forEach(each -> each.execution.abandon());
    parked.clear();
  }
}
