package io.convoke.server.egress;

import io.convoke.server.loop.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Counts the files of egresses that ended, and deletes those past the retention. Files are deleted
 * before their row says so: after a crash in between they are deleted again.
 */
final class EgressRetention implements AutoCloseable {
  private static final Duration ROUND = Duration.ofHours(1);

  /** Two rounds see each deleted egress once more. */
  private static final Duration LATE = ROUND.multipliedBy(2);

  private static final int BATCH = 200;

  private final EgressStore store;
  private final EgressFiles files;
  private final Optional<Duration> retention;
  private long tidied = System.nanoTime();
  private final PeriodicTask task = new PeriodicTask("egress-retention", ROUND, this::round);

  EgressRetention(EgressStore store, EgressFiles files, Optional<Duration> retention) {
    this.store = store;
    this.files = files;
    this.retention = retention;
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
      tidied = System.nanoTime();
    }
    count();
    return ROUND;
  }

  /** Counts the files of those that ended. */
  void count() throws IOException {
    int _ = each(() -> store.uncounted(BATCH), this::count);
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

  private void count(String egress) throws IOException {
    store.counted(egress, files.bytes(egress));
  }

  private interface EgressStep {
    void on(String egress) throws IOException;
  }

  private static int each(Supplier<List<String>> next, EgressStep step) throws IOException {
    int done = 0;
    for (List<String> batch = next.get(); !batch.isEmpty(); batch = next.get()) {
      for (String egress : batch) {
        step.on(egress);
        done++;
      }
    }
    return done;
  }
}
