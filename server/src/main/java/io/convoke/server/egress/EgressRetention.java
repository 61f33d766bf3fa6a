package io.convoke.server.egress;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.server.egress.EgressFiles.StoredFiles;
import io.convoke.server.egress.EgressStore.EndedEgress;
import io.convoke.server.loop.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Counts the files of egresses that ended, has those without a result finished by another task, and
 * deletes those past the retention. Files are deleted before their row says so: after a crash in
 * between they are deleted again.
 */
final class EgressRetention implements AutoCloseable {
  private static final Duration ROUND = Duration.ofHours(1);

  /** Two rounds see each deleted egress once more. */
  private static final Duration LATE = ROUND.multipliedBy(2);

  private static final int BATCH = 200;

  /** One at once, and one in each of the hours after. */
  private static final int FINISH_TRIES_MAX = 12;

  private static final int ID_BYTES = 12;

  private final EgressStore store;
  private final EgressFiles files;
  private final Optional<Duration> retention;
  private final SecretBox secrets;
  private volatile Predicate<NewTask> finisher = task -> false;
  private long tidied = System.nanoTime();
  private final PeriodicTask task = new PeriodicTask("egress-retention", ROUND, this::round);

  /**
   * Nothing runs before {@link #start}.
   *
   * @param secrets the ids of tasks that finish others derive from them, so that users cannot take
   *     them first
   */
  EgressRetention(
      EgressStore store, EgressFiles files, Optional<Duration> retention, SecretBox secrets) {
    this.store = store;
    this.files = files;
    this.retention = retention;
    this.secrets = secrets;
  }

  /** Where tasks that finish others are submitted; it tells whether they were accepted. */
  void onUnfinished(Predicate<NewTask> submit) {
    finisher = submit;
  }

  void start() {
    task.startAfter(ROUND);
  }

  /** An egress has ended. */
  void wake() {
    task.wake();
  }

  @Override
  public void close() {
    task.close();
  }

  private Duration round() throws IOException {
    if (System.nanoTime() - tidied >= ROUND.toNanos()) {
      int _ = tidy();
      finishAgain();
      tidied = System.nanoTime();
    }
    count();
    return ROUND;
  }

  /** Counts the files of those that ended. */
  void count() throws IOException {
    int _ = each(() -> store.uncounted(BATCH), egress -> count(egress, egress.finishTries() == 0));
  }

  /** Submits the tasks again that did not finish an egress: no pod took them, or they failed. */
  void finishAgain() throws IOException {
    for (EndedEgress egress : store.unfinished(FINISH_TRIES_MAX, BATCH)) {
      count(egress, true);
    }
  }

  /** Deletes what is due; returns how many egresses lost their files. */
  int tidy() throws IOException {
    for (String late : store.deletedSince(LATE)) {
      files.delete(late);
    }
    return retention.isPresent()
        ? each(() -> store.expired(retention.get(), BATCH), this::delete)
        : 0;
  }

  void delete(String egress) throws IOException {
    files.delete(egress);
    boolean _ = store.delete(egress);
  }

  /**
   * Counts one. A stopped task does not start again: where its pod ended before the result was
   * stored, another task joins the segments. Each try has an id of its own, so that it is one task
   * however often this runs.
   */
  private void count(EndedEgress egress, boolean mayFinish) throws IOException {
    StoredFiles stored = files.stored(egress.taskId());
    Optional<NewTask> task =
        stored.segments() && !stored.finished()
            ? store.finishing(egress.taskId(), finishId(egress))
            : Optional.empty();
    int tries = 0;
    if (task.isPresent()) {
      boolean submitted = mayFinish && finisher.test(task.get());
      tries = Math.max(1, egress.finishTries() + (submitted ? 1 : 0));
    }
    store.counted(egress, stored.bytes(), tries);
  }

  private String finishId(EndedEgress egress) {
    byte[] derived =
        secrets.deriveAll("egress finish", egress.taskId() + " " + egress.finishTries()).getFirst();
    return HexFormat.of().formatHex(derived, 0, ID_BYTES);
  }

  private interface EgressStep<T> {
    void on(T egress) throws IOException;
  }

  private static <T> int each(Supplier<List<T>> next, EgressStep<T> step) throws IOException {
    int done = 0;
    for (List<T> batch = next.get(); !batch.isEmpty(); batch = next.get()) {
      for (T egress : batch) {
        step.on(egress);
        done++;
      }
    }
    return done;
  }
}
