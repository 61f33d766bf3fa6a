package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What remembers tasks when Redis forgets them. {@link PostgresTaskStore} makes a task durable
 * before anybody is told that it was accepted; {@link #NONE} leaves it to Redis, and what Redis
 * loses is lost.
 */
public interface DurableTaskStore {
  /** Redis alone. */
  DurableTaskStore NONE = new NoopTaskStore();

  /** What became of a task that was to be made durable. */
  sealed interface TaskInsertResult {
    /** It will reach an end, whatever happens to Redis. */
    record TaskInserted() implements TaskInsertResult {}

    /** The same request had this task already. */
    record AlreadyInserted(String id) implements TaskInsertResult {}

    record InsertIdTaken() implements TaskInsertResult {}

    record InsertChannelBusy(String holder) implements TaskInsertResult {}
  }

  /** Whether it remembers at all. */
  boolean isDurable();

  /** Makes a task durable; many callers share a transaction. */
  TaskInsertResult accept(NewTask task);

  /** Takes back a task that was accepted just now and could not be queued. */
  void reject(String id);

  /** Remembers that a task is to stop, whether or not Redis can be told; false if none is open. */
  boolean requestStop(String id);

  /** From now on nothing is recorded that was read earlier; what is being recorded is awaited. */
  void begin(RebuildEpoch rebuildEpoch);

  /**
   * Writes moves in their order; one that is older than what is known changes nothing.
   *
   * @return false where a later generation has begun, or this one is not known; nothing is written
   */
  boolean record(RebuildEpoch rebuildEpoch, List<TaskTransition> moves);

  /** Open tasks with larger ids than this, by id. */
  List<OpenTask> open(String afterId, int limit);

  /** Those of these tasks that are open. */
  List<OpenTask> open(List<String> ids);

  /**
   * Open tasks that were accepted a moment ago and that Redis was never heard of, and those that
   * are to stop, of which it may not have heard either.
   */
  List<OpenTask> undelivered(int limit);

  /** Asks other servers to tell Redis what is unheard, since this one does not reach it. */
  void notifyServers();

  /** Tasks that ended within this time, the newest first. */
  List<EndedTask> ended(Duration within, int limit);

  /** A task as it stood when the ledger last heard of it. */
  Optional<Task> find(String id);
}
