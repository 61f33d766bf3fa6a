package io.convoke.engine.durable;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A workflow or job that starts at the ticks of a cron expression.
 *
 * @param name of the workflow or job
 * @param next the next tick, unless a run is in progress
 * @param running the instance id of the run in progress
 * @param last the result of the last run
 */
public record Schedule(
    String id,
    String cron,
    ZoneId zone,
    ScheduledKind kind,
    String name,
    JsonNode input,
    Optional<Instant> next,
    Optional<String> running,
    Optional<ScheduledRun> last) {

  /** What is scheduled. */
  public enum ScheduledKind {
    WORKFLOW,
    JOB
  }

  /**
   * A run that has ended; the run of a job ends when the job is enqueued.
   *
   * @param error empty when it completed
   */
  public record ScheduledRun(String instanceId, Instant endedAt, Optional<String> error) {}
}
