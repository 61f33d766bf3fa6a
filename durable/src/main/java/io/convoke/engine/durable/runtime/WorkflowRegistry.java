package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.Activity;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.Workflow;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.WorkMessage;
import io.convoke.engine.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** The workflows and activities of a process, by name, with their inputs and outputs as JSON. */
public final class WorkflowRegistry {
  /** A workflow over JSON. */
  interface WorkflowFunction {
    JsonNode run(WorkflowContext context, JsonNode input) throws Exception;
  }

  /** An activity over JSON. */
  interface ActivityFunction {
    JsonNode run(ActivityContext context, JsonNode input) throws Exception;
  }

  private final Map<String, WorkflowFunction> flows = new ConcurrentHashMap<>();
  private final Map<String, ActivityFunction> steps = new ConcurrentHashMap<>();

  /** The pools of activities that are not in the default pool, and the workers of pools. */
  private final Map<String, String> poolByActivity = new ConcurrentHashMap<>();

  private final Map<String, WorkerPool> pools = new ConcurrentHashMap<>();

  /**
   * The workers of a pool.
   *
   * @param count how many of its activities this node runs at a time
   * @param platformThreads whether each worker is a thread of the operating system
   */
  record WorkerPool(int count, boolean platformThreads) {}

  /** The same workflows, activities and pools; what is added to the copy is in the copy alone. */
  public WorkflowRegistry copy() {
    WorkflowRegistry copy = new WorkflowRegistry();
    copy.flows.putAll(flows);
    copy.steps.putAll(steps);
    copy.poolByActivity.putAll(poolByActivity);
    copy.pools.putAll(pools);
    return copy;
  }

  public <I, O> void workflow(String name, Class<I> input, Workflow<I, O> workflow) {
    WorkflowFunction workflowFunction =
        (context, json) -> tree(workflow.run(context, read(json, input)));
    if (flows.putIfAbsent(name, workflowFunction) != null) {
      throw new IllegalArgumentException("duplicate workflow " + name);
    }
  }

  public <I, O> void activity(String name, Class<I> input, Activity<I, O> activity) {
    ActivityFunction activityFunction =
        (context, json) -> tree(activity.run(context, Json.read(json, input)));
    if (steps.putIfAbsent(name, activityFunction) != null) {
      throw new IllegalArgumentException("duplicate activity " + name);
    }
  }

  /** Registers an activity of a pool, which {@link #pool} may define before or afterwards. */
  public <I, O> void activity(String name, String pool, Class<I> input, Activity<I, O> activity) {
    if (NewJob.isJobs(pool)) {
      throw new IllegalArgumentException("this name of a pool is that of a job: " + pool);
    }
    activity(name, input, activity);
    String _ = poolByActivity.put(name, pool);
  }

  /** Defines a pool and how many of its activities this node runs at a time; 0 runs none. */
  public void pool(String name, int workers, boolean platformThreads) {
    if (name.isEmpty()
        || NewJob.isJobs(name)
        || workers < 0
        || pools.putIfAbsent(name, new WorkerPool(workers, platformThreads)) != null) {
      throw new IllegalArgumentException("invalid or duplicate pool: " + name);
    }
  }

  /** Workers by pool; an undefined pool has as many as the default pool. */
  Map<String, WorkerPool> pools(int ordinary) {
    Map<String, WorkerPool> all = new HashMap<>();
    poolByActivity.values().forEach(pool -> all.put(pool, new WorkerPool(ordinary, false)));
    all.putAll(pools);
    return all;
  }

  String poolOf(String activity) {
    return poolByActivity.getOrDefault(activity, WorkMessage.DEFAULT_POOL);
  }

  Optional<WorkflowFunction> flow(String name) {
    return Optional.ofNullable(flows.get(name));
  }

  Optional<ActivityFunction> step(String name) {
    return Optional.ofNullable(steps.get(name));
  }

  /** A value as JSON; null is JSON's null. */
  static JsonNode tree(@Nullable Object value) {
    return value == null ? NullNode.getInstance() : Json.tree(value);
  }

  /**
   * A value of a workflow's code as a replay reads it from the history: a decimal number is a
   * double, and half of a surrogate pair a question mark. It is a copy, which the code cannot
   * change.
   */
  static JsonNode stored(@Nullable Object value) {
    byte[] stored = Json.write(tree(value)).getBytes(StandardCharsets.UTF_8);
    return Json.read(new String(stored, StandardCharsets.UTF_8));
  }

  /** A value of a history for a workflow's code, which may change it: the history keeps its own. */
  static <T> T read(JsonNode json, Class<T> type) {
    return Json.read(JsonNode.class.isAssignableFrom(type) ? json.deepCopy() : json, type);
  }
}
