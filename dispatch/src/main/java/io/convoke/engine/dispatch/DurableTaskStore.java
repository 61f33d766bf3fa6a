package io.convoke.engine.dispatch;

import java.util.List;
import java.util.Optional;

/**
 * The durable store of tasks. {@link PostgresTaskStore} commits a task before the client receives
 * its acceptance, so the task survives a loss of Redis; with {@link #NONE}, tasks that Redis loses
 * are lost.
 */
public interface DurableTaskStore {
  /** Redis only, no durable store. */
  DurableTaskStore NONE = new NoopTaskStore();

  /** The result of inserting a task. */
  sealed interface TaskInsertResult {
    /** Stored; the task reaches a final state whatever happens to Redis. */
    record TaskInserted() implements TaskInsertResult {}

    /** The request already has this task. */
    record AlreadyInserted(String id) implements TaskInsertResult {}

    record InsertIdTaken() implements TaskInsertResult {}

    record InsertChannelBusy(String holder) implements TaskInsertResult {}
  }

  /** Whether tasks are stored. */
  boolean isDurable();

  /** Inserts a task; concurrent callers share a transaction. */
  TaskInsertResult accept(NewTask task);

  /** Deletes a newly accepted task that Redis refused. */
  void reject(String id);

  /** Stores a stop request; false if the task is not open. */
  boolean requestStop(String id);

  /**
   * Begins a generation: transitions read from Redis in an earlier one are refused from now on.
   * Waits for a recording in progress.
   */
  void begin(RebuildEpoch rebuildEpoch);

  /**
   * Records transitions in order; one that is older than the stored state is ignored.
   *
   * @return false if the generation is not the current one; then nothing is written
   */
  boolean record(RebuildEpoch rebuildEpoch, List<TaskTransition> moves);

  /** Open tasks with ids greater than this, by id. */
  List<OpenTask> open(String afterId, int limit);

  /** The open ones of these tasks. */
  List<OpenTask> open(List<String> ids);

  /**
   * Open tasks that Redis has not reported, accepted at least 2 s ago, and open tasks with a stop
   * request that Redis may lack; of each kind at most so many, from each region in turn.
   */
  List<OpenTask> undelivered(int limit);

  /** Asks other servers to deliver the pending tasks to Redis, which this server cannot reach. */
  void notifyServers();

  /** The ended ones of these tasks, however long ago. */
  List<EndedTask> ended(List<String> ids);

  /** A task in its last recorded state. */
  Optional<Task> find(String id);
}
