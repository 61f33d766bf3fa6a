package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.Activity;
import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.Workflow;
import io.convoke.engine.durable.WorkflowContext;
import io.convoke.engine.json.Json;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** The workflows and activities of a process, by name, with their inputs and outputs as JSON. */
public final class Registry {
  /** A workflow over JSON. */
  interface Flow {
    JsonNode run(WorkflowContext context, JsonNode input) throws Exception;
  }

  /** An activity over JSON. */
  interface Step {
    JsonNode run(ActivityContext context, JsonNode input) throws Exception;
  }

  private final Map<String, Flow> flows = new ConcurrentHashMap<>();
  private final Map<String, Step> steps = new ConcurrentHashMap<>();

  public <I, O> void workflow(String name, Class<I> input, Workflow<I, O> workflow) {
    Flow flow = (context, json) -> tree(workflow.run(context, Json.read(json, input)));
    if (flows.putIfAbsent(name, flow) != null) {
      throw new IllegalArgumentException("two workflows are called " + name);
    }
  }

  public <I, O> void activity(String name, Class<I> input, Activity<I, O> activity) {
    Step step = (context, json) -> tree(activity.run(context, Json.read(json, input)));
    if (steps.putIfAbsent(name, step) != null) {
      throw new IllegalArgumentException("two activities are called " + name);
    }
  }

  Optional<Flow> flow(String name) {
    return Optional.ofNullable(flows.get(name));
  }

  Optional<Step> step(String name) {
    return Optional.ofNullable(steps.get(name));
  }

  /** A value as JSON; null is JSON's null. */
  static JsonNode tree(@Nullable Object value) {
    return value == null ? NullNode.getInstance() : Json.tree(value);
  }
}
