package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.provider.OrchestrationItem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Parked executions in memory, so that their next turn need not replay. An execution in the state
 * of turn n may continue with turn n + 1 only: then no other node was in between.
 */
final class ExecutionCache {
  private record CachedExecution(long turn, WorkflowExecution execution) {}

  private final int capacity;
  private final LinkedHashMap<String, CachedExecution> parked =
      new LinkedHashMap<>(16, 0.75f, true);

  ExecutionCache(int capacity) {
    this.capacity = capacity;
  }

  /** Takes the execution out if it is fit for this turn. */
  synchronized Optional<WorkflowExecution> take(OrchestrationItem item) {
    CachedExecution found = parked.remove(item.instanceId());
    if (found == null) {
      return Optional.empty();
    }
    if (found.turn + 1 != item.turn()) {
      found.execution.abandon();
      return Optional.empty();
    }
    return Optional.of(found.execution);
  }

  /** Keeps an execution as a turn has left it; the one that was not used longest gives way. */
  synchronized void keep(OrchestrationItem item, WorkflowExecution workflowExecution) {
    CachedExecution _ =
        parked.put(item.instanceId(), new CachedExecution(item.turn(), workflowExecution));
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
