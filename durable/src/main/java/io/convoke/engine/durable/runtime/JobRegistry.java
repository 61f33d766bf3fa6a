package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.ActivityContext;
import io.convoke.engine.durable.Job;
import io.convoke.engine.durable.JobContext;
import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.json.Json;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.node.NullNode;

/** The jobs that a process runs, by name. */
public final class JobRegistry {
  private final Map<String, RegisteredJob> jobs = new ConcurrentHashMap<>();

  /** A job over JSON, and how this node runs it. */
  record RegisteredJob(
      String name, JobOptions options, WorkflowRegistry.ActivityFunction function) {}

  public <I> void job(String name, Class<I> input, JobOptions options, Job<I> job) {
    JobPayload.checkName(name);
    RegisteredJob registeredJob =
        new RegisteredJob(
            name,
            options,
            (context, json) -> {
              job.run(new JobAttempt(context), Json.read(json, input));
              return NullNode.getInstance();
            });
    if (jobs.putIfAbsent(name, registeredJob) != null) {
      throw new IllegalArgumentException("duplicate job " + name);
    }
  }

  Iterable<RegisteredJob> all() {
    return jobs.values();
  }

  private record JobAttempt(ActivityContext activity) implements JobContext {
    @Override
    public String id() {
      return activity.instanceId();
    }

    @Override
    public int attempt() {
      return activity.attempt();
    }

    @Override
    public String traceparent() {
      return activity.traceparent();
    }

    @Override
    public void heartbeat() throws InterruptedException {
      activity.heartbeat();
    }
  }
}
