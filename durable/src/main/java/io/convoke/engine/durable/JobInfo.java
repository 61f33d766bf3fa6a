package io.convoke.engine.durable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A job that is not done.
 *
 * @param attempts that have begun
 * @param runAt when it may run next; empty while it waits for its turn under a limit. With a
 *     priority, the instant from which it counts as waiting
 */
public record JobInfo(
    String id,
    String name,
    JobState state,
    JsonNode input,
    int attempts,
    List<String> tags,
    Instant enqueuedAt,
    Optional<Instant> runAt) {

  /** Where a job is. */
  public enum JobState {
    /** For a worker, or for its turn under a limit. */
    WAITING,
    /** For its instant, or for the end of the pause after a failed attempt. */
    SCHEDULED,
    /** On a node, under its lock. */
    RUNNING
  }
}
