package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.NewJob;
import io.convoke.engine.durable.provider.Provider;
import io.convoke.engine.durable.runtime.JobPayload;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The workflow of one tick of a scheduled job: it enqueues the job, unless the job of an earlier
 * tick still waits or runs. A node that dies between the enqueue and the commit of its step makes
 * the tick enqueue again.
 */
final class ScheduledJob {
  static final String NAME = "convoke.job";

  private ScheduledJob() {}

  /** What a tick enqueues. */
  record JobOfTick(String schedule, String job, JsonNode input) {
    /**
     * The job, whose unique key and tag name the schedule.
     *
     * @throws IllegalArgumentException if the id of the schedule, the name or the input is too long
     */
    NewJob newJob(Optional<String> traceparent) {
      String key = ScheduleStore.PREFIX + schedule;
      return JobPayload.job(job, input, EnqueueOptions.NONE.unique(key).tagged(key), traceparent);
    }
  }

  /** Returns the ids of the jobs that it enqueued: one, or none while an earlier one is open. */
  static List<String> run(Provider provider, WorkflowContext context, JobOfTick jobOfTick) {
    Optional<String> traceparent = Optional.of(context.traceparent()).filter(it -> !it.isEmpty());
    String[] enqueued =
        context.step(
            "enqueue",
            String[].class,
            () -> {
              NewJob newJob = jobOfTick.newJob(traceparent);
              boolean isNew = provider.jobs().enqueue(newJob);
              return isNew ? new String[] {newJob.id()} : new String[0];
            });
    return List.of(enqueued);
  }
}
