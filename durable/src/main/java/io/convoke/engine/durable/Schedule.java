package io.convoke.engine.durable;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A workflow that is started by the clock.
 *
 * @param next when, unless a run of it is under way
 * @param running the instance id of the run that is under way
 * @param last how the last run ended
 */
public record Schedule(
    String id,
    String cron,
    ZoneId zone,
    String workflow,
    JsonNode input,
    Optional<Instant> next,
    Optional<String> running,
    Optional<ScheduledRun> last) {

  /**
   * A run that has ended.
   *
   * @param error empty when it completed
   */
  public record ScheduledRun(String instanceId, Instant endedAt, Optional<String> error) {}
}
