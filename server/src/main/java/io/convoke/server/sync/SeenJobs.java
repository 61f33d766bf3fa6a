package io.convoke.server.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The statuses that each job has posted for a meeting, and in which attempt, to ignore duplicates.
 * Bounded; the oldest is evicted first.
 */
record SeenJobs(List<Seen> jobs) {
  static final SeenJobs NONE = new SeenJobs(List.of());
  private static final int JOBS_MAX = 96;

  SeenJobs {
    jobs = List.copyOf(jobs);
  }

  /** A job that posted a status. */
  record Seen(String job, SyncStatus status, long attempt) {}

  /** The last attempt in which the job posted this status. */
  Optional<Long> seen(String job, SyncStatus status) {
    return jobs.stream()
        .filter(mark -> mark.job().equals(job) && mark.status() == status)
        .map(Seen::attempt)
        .max(Long::compare);
  }

  SeenJobs with(Optional<String> job, SyncStatus status, long attempt) {
    if (job.isEmpty()) {
      return this;
    }
    List<Seen> more = new ArrayList<>(jobs);
    boolean _ = more.removeIf(mark -> mark.job().equals(job.get()) && mark.status() == status);
    more.add(new Seen(job.get(), status, attempt));
    return new SeenJobs(more.subList(Math.max(0, more.size() - JOBS_MAX), more.size()));
  }
}
