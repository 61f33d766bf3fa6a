package io.convoke.engine.durable.provider;

import io.convoke.engine.durable.EnqueueOptions;

/**
 * A job to be queued.
 *
 * @param id unique
 * @param payload its input and trace as JSON
 */
public record NewJob(String id, String name, String payload, EnqueueOptions options) {
  private static final String POOL = "job:";

  /** The pool of the work items of a job. */
  public static String pool(String job) {
    return POOL + job;
  }

  /** Whether a pool belongs to a job and not to activities. */
  public static boolean isJobs(String pool) {
    return pool.startsWith(POOL);
  }

  /** The pool of its work item. */
  public String pool() {
    return pool(name);
  }
}
