package io.convoke.server.egress;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.server.egress.EgressFiles.StoredFiles;
import io.convoke.server.egress.EgressStore.EndedEgress;
import io.convoke.server.loop.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the files of egresses that ended, has those without a result finished by another task, and
 * deletes those past the retention. Files are deleted before their row says so: after a crash in
 * between they are deleted again. What the store refuses for one egress holds up no other one, and
 * is repeated in a later round.
 */
final class EgressRetention implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EgressRetention.class);
  private static final Duration ROUND = Duration.ofHours(1);

  /** Two rounds see each deleted egress once more. */
  private static final Duration LATE = ROUND.multipliedBy(2);

  private static final int BATCH = 200;

  /** A store that refuses this often is away; fewer than a batch, which so always has others. */
  private static final int REFUSALS_MAX = 10;

  /** One at once, and one in each of the hours after. */
  private static final int FINISH_TRIES_MAX = 12;

  private static final int ID_BYTES = 12;

  private final EgressStore store;
  private final EgressFiles files;
  private final Optional<Duration> retention;
  private final SecretBox secrets;
  private volatile Predicate<NewTask> finisher = task -> false;

  /** Egresses that the store refused to delete in rounds that ended before all were tried. */
  private final Set<String> putOff = new HashSet<>();

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

  private Duration round() {
    if (System.nanoTime() - tidied >= ROUND.toNanos()) {
      int _ = tidy();
      finishAgain();
      tidied = System.nanoTime();
    }
    count();
    return ROUND;
  }

  /** Counts the files of those that ended. */
  void count() {
    int _ =
        each(
            () -> store.uncounted(BATCH),
            egress -> count(egress, egress.finishTries() == 0),
            new HashSet<>());
  }

  /** Submits the tasks again that did not finish an egress: no pod took them, or they failed. */
  void finishAgain() {
    int _ =
        some(
            store.unfinished(FINISH_TRIES_MAX, BATCH),
            egress -> count(egress, true),
            new HashSet<>());
  }

  /** Deletes what is due; returns how many egresses lost their files. */
  int tidy() {
    int _ = some(store.deletedSince(LATE), files::delete, new HashSet<>());
    return retention.map(this::deleteExpired).orElse(0);
  }

  /** Those put off are tried again after all others, which they would otherwise hold up. */
  private int deleteExpired(Duration kept) {
    Set<String> refused = new HashSet<>();
    int deleted = each(() -> store.expired(kept, putOff, BATCH), this::delete, refused);
    if (refused.size() < REFUSALS_MAX) {
      putOff.clear();
    } else {
      boolean _ = putOff.addAll(refused);
    }
    return deleted;
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

  private static <T> int each(Supplier<List<T>> next, EgressStep<T> step, Set<T> refused) {
    int done = 0;
    List<T> batch = next.get();
    while (!batch.isEmpty() && refused.size() < REFUSALS_MAX) {
      done += some(batch, step, refused);
      batch = next.get().stream().filter(egress -> !refused.contains(egress)).toList();
    }
    return done;
  }

  /** How many of these the step is done for; adds those for which the store refuses it. */
  private static <T> int some(List<T> batch, EgressStep<T> step, Set<T> refused) {
    int done = 0;
    for (T egress : batch) {
      if (refused.size() < REFUSALS_MAX) {
        try {
          step.on(egress);
          done++;
        } catch (IOException e) {
          log.info("{} waits for the store of files: {}", egress, e.getMessage());
          boolean _ = refused.add(egress);
        }
      }
    }
    return done;
  }
}
