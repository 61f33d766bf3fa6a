package io.convoke.chaos.durable.flow;

import java.time.Duration;

/**
 * A job that the client enqueues.
 *
 * @param id also its unique key
 * @param failures number of first attempts that fail
 */
public record TestJob(String id, int failures) {
  public static final String NAME = "chore";
  public static final Duration LASTS = Duration.ofMillis(150);

  private static final String PREFIX = "job:";
  private static final String BETWEEN = ":";

  /** Name of the attempts of one enqueued job in their log. */
  public String key(String jobId) {
    return of(id) + jobId;
  }

  /** The beginning of the names of all attempts of jobs with this unique key. */
  public static String of(String id) {
    return PREFIX + id + BETWEEN;
  }

  /** The beginning of such a name, up to the id of the enqueued job; empty for an activity. */
  public static String unique(String key) {
    return key.startsWith(PREFIX) ? key.substring(0, key.lastIndexOf(BETWEEN) + 1) : "";
  }
}
