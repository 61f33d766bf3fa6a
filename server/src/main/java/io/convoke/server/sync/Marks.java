package io.convoke.server.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What was seen of a meeting's updates, so that a repetition changes nothing. Bounded; the oldest
 * goes first.
 *
 * @param jobs which job told which status, and in which attempt
 * @param updates the last updates by the numbers that we gave them: one whose commit was not
 *     confirmed is sent again, and must not count twice
 */
record Marks(List<Mark> jobs, List<Long> updates) {
  static final Marks NONE = new Marks(List.of(), List.of());
  private static final int JOBS_MAX = 96;
  private static final int UPDATES_MAX = 16;

  Marks {
    jobs = List.copyOf(jobs);
    updates = List.copyOf(updates);
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

  boolean applied(long update) {
    return updates.contains(update);
  }

  Marks with(Optional<String> job, SyncStatus status, long attempt, long update) {
    List<Mark> more = new ArrayList<>(jobs);
    job.ifPresent(
        id -> {
          more.removeIf(mark -> mark.job().equals(id) && mark.status() == status);
          more.add(new Mark(id, status, attempt));
        });
    List<Long> last = new ArrayList<>(updates);
    last.add(update);
    return new Marks(newest(more, JOBS_MAX), newest(last, UPDATES_MAX));
  }

  private static <T> List<T> newest(List<T> all, int most) {
    return all.subList(Math.max(0, all.size() - most), all.size());
  }
}
