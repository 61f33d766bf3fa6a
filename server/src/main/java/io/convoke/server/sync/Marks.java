package io.convoke.server.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What was seen of a meeting's jobs, so that a repetition changes nothing. Bounded; the oldest goes
 * first.
 *
 * @param jobs which job told which status, and in which attempt
 */
record Marks(List<Mark> jobs) {
  static final Marks NONE = new Marks(List.of());
  private static final int JOBS_MAX = 96;

  Marks {
    jobs = List.copyOf(jobs);
  }

  /** A job that told a status. */
  record Mark(String job, SyncStatus status, long attempt) {}

  /** The last attempt in which the job told this. */
  Optional<Long> seen(String job, SyncStatus status) {
    return jobs.stream()
        .filter(mark -> mark.job().equals(job) && mark.status() == status)
        .map(Mark::attempt)
        .max(Long::compare);
  }

  Marks with(Optional<String> job, SyncStatus status, long attempt) {
    if (job.isEmpty()) {
      return this;
    }
    List<Mark> more = new ArrayList<>(jobs);
    boolean _ = more.removeIf(mark -> mark.job().equals(job.get()) && mark.status() == status);
    more.add(new Mark(job.get(), status, attempt));
    return new Marks(more.subList(Math.max(0, more.size() - JOBS_MAX), more.size()));
  }
}
