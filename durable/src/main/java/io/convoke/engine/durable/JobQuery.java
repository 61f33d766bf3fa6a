package io.convoke.engine.durable;

import io.convoke.engine.durable.JobInfo.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which jobs to list, the newest first.
 *
 * @param tags that a job has all of
 * @param limit 1 to {@value #LIMIT_MAX}
 */
public record JobQuery(
    Optional<String> name, Optional<JobState> state, List<String> tags, int limit) {
  public static final int LIMIT_MAX = 1000;

  public JobQuery {
    tags = List.copyOf(tags);
    if (limit < 1 || limit > LIMIT_MAX) {
      throw new IllegalArgumentException("a limit is 1 to " + LIMIT_MAX + ": " + limit);
    }
  }

  /** The newest jobs, up to a limit. */
  public static JobQuery newest(int limit) {
    return new JobQuery(Optional.empty(), Optional.empty(), List.of(), limit);
  }

  public JobQuery named(String job) {
    return new JobQuery(Optional.of(job), state, tags, limit);
  }

  public JobQuery in(JobState jobState) {
    return new JobQuery(name, Optional.of(jobState), tags, limit);
  }

  /** Only jobs with this tag too. */
  public JobQuery tagged(String tag) {
    List<String> all = new ArrayList<>(tags);
    boolean _ = all.add(tag);
    return new JobQuery(name, state, all, limit);
  }
}
