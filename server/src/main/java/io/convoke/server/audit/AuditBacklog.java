package io.convoke.server.audit;

import io.convoke.server.audit.AuditEntry.NewAuditEntry;
import io.convoke.server.loop.PeriodicTask;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Rows of actions that happened while Postgres was away; written when it is back, in their order,
 * at least once. Bounded, and lost with the process: the log has each.
 */
final class AuditBacklog implements AutoCloseable {
  static final int ENTRIES_MAX = 10_000;
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final int BATCH = 500;

  private final Consumer<List<NewAuditEntry>> writer;
  private final Deque<NewAuditEntry> waiting = new ArrayDeque<>();
  private final PeriodicTask task = new PeriodicTask("audit-backlog", RETRY, this::round);

  /**
   * @param writer stores a batch, or throws
   */
  AuditBacklog(Consumer<List<NewAuditEntry>> writer) {
    this.writer = writer;
  }

  void start() {
    task.startAfter(RETRY);
  }

  /** Adds a row; false if too many wait. */
  synchronized boolean add(NewAuditEntry entry) {
    if (waiting.size() >= ENTRIES_MAX) {
      return false;
    }
    waiting.addLast(entry);
    return true;
  }

  /** Whether later rows have to wait too. */
  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Writes all that waits; what could not be written goes on waiting. */
  void flush() {
    List<NewAuditEntry> batch = batch();
    while (!batch.isEmpty()) {
      writer.accept(batch);
      remove(batch.size());
      batch = batch();
    }
  }

  private synchronized List<NewAuditEntry> batch() {
    return waiting.stream().limit(BATCH).toList();
  }

  private synchronized void remove(int count) {
    for (int i = 0; i < count; i++) {
      NewAuditEntry _ = waiting.removeFirst();
    }
  }

  private Duration round() {
    flush();
    return RETRY;
  }

  @Override
  public void close() {
    task.close();
  }
}
