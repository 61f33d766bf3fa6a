package io.convoke.engine.durable.runtime;

import io.convoke.engine.durable.JobOptions;
import io.convoke.engine.durable.provider.InstanceMessage;
import io.convoke.engine.durable.provider.LockStatus;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.provider.WorkItem;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** What a work item is: how it is read, what runs it, and where its end goes. */
sealed interface WorkKind {
  ActivityTask read(WorkItem item);

  /** What runs the item; empty if this node does not know it. */
  Optional<WorkflowRegistry.ActivityFunction> function(ActivityTask activityTask);

  /** The item as log lines name it. */
  String describe(WorkItem item);

  LockStatus completed(WorkItem item, JsonNode output);

  /** Ends an item whose last attempt failed. */
  LockStatus failed(WorkItem item, AttemptError error);

  /** An activity, whose end is a message to its workflow. */
  record ActivityKind(Provider provider, WorkflowRegistry workflowRegistry) implements WorkKind {
    @Override
    public ActivityTask read(WorkItem item) {
      return ActivityTask.read(item.item());
    }

    @Override
    public Optional<WorkflowRegistry.ActivityFunction> function(ActivityTask activityTask) {
      return workflowRegistry.step(activityTask.name());
    }

    @Override
    public String describe(WorkItem item) {
      return "activity " + item.activityId() + " of " + item.instanceId();
    }

    @Override
    public LockStatus completed(WorkItem item, JsonNode output) {
      return ended(item, new HistoryEntry.Completed(item.activityId(), output, provider.now()));
    }

    @Override
    public LockStatus failed(WorkItem item, AttemptError error) {
      return ended(
          item,
          new HistoryEntry.Failed(
              item.activityId(), error.text(), provider.now(), error.type().orElse(null)));
    }

    private LockStatus ended(WorkItem item, HistoryEntry.IncomingEvent incomingEvent) {
      InstanceMessage completion =
          MessageEnvelope.message(item.instanceId(), item.executionId(), incomingEvent);
      return provider.ackWorkItem(item.lockToken(), Optional.of(completion));
    }
  }

  /** A job, which is deleted when it is done and kept as a dead job when it has failed. */
  record JobKind(Provider provider, JobRegistry.RegisteredJob job) implements WorkKind {
    private static final Logger log = LoggerFactory.getLogger(JobKind.class);

    @Override
    public ActivityTask read(WorkItem item) {
      JobOptions options = job.options();
      return JobPayload.read(item.item()).task(job.name(), options);
    }

    @Override
    public Optional<WorkflowRegistry.ActivityFunction> function(ActivityTask activityTask) {
      return Optional.of(job.function());
    }

    @Override
    public String describe(WorkItem item) {
      return "job " + job.name() + " " + item.instanceId();
    }

    @Override
    public LockStatus completed(WorkItem item, JsonNode output) {
      return provider.ackWorkItem(item.lockToken(), Optional.empty());
    }

    @Override
    public LockStatus failed(WorkItem item, AttemptError error) {
      log.warn("{} is dead after {} attempts: {}", describe(item), item.attempt(), error.text());
      return provider.jobs().bury(item.lockToken(), error.text());
    }
  }
}
