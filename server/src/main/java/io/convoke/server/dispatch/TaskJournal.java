package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.PostgresTaskStore;
import io.convoke.engine.dispatch.RecordedTransition;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.dispatch.TaskTransition;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewJournalEvent;
import io.convoke.engine.sql.Tx;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The journal rows of tasks: one for each transition, in the transaction that records it, and one
 * for each settlement of a dead letter. They contain no payload.
 */
final class TaskJournal implements PostgresTaskStore.TransitionListener {
  private final Journal journal;
  private final DispatchMetrics meters;

  TaskJournal(Journal journal, DispatchMetrics meters) {
    this.journal = journal;
    this.meters = meters;
  }

  static String subject(String id) {
    return "task:" + id;
  }

  @Override
  public void moved(Tx tx, List<RecordedTransition> moves) {
    journal.append(tx, moves.stream().map(TaskJournal::event).toList());
    tx.afterCommit(() -> meters.moved(moves));
  }

  /** Writes the settlement of a dead letter. */
  void settled(Tx tx, List<DeadLetterSettlement> settlements) {
    journal.append(tx, settlements.stream().map(TaskJournal::event).toList());
  }

  private static NewJournalEvent event(RecordedTransition recordedTransition) {
    TaskTransition taskTransition = recordedTransition.move();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("task_id", taskTransition.id());
    data.put("request_id", recordedTransition.requestId());
    data.put("task_type", recordedTransition.type());
    data.put("channel", recordedTransition.channel());
    data.put("region", recordedTransition.region());
    data.put("user_id", recordedTransition.userId());
    data.put("state", taskTransition.state().name());
    data.put("attempt", taskTransition.attempt());
    data.put("pod_id", taskTransition.podId());
    data.put("worker_id", taskTransition.workerId());
    data.put("error", taskTransition.error());
    data.put("moved_at", taskTransition.at());
    if (taskTransition.state() == TaskState.PENDING) {
      data.put("pending_at", taskTransition.at().plus(taskTransition.delay()));
    }
    return NewJournalEvent.of(
        type(taskTransition), subject(taskTransition.id()), recordedTransition.userId(), data);
  }

  /** Event names; a stop request to a running task is no second start. */
  private static String type(TaskTransition taskTransition) {
    return switch (taskTransition.state()) {
      case PROCESSING -> taskTransition.stop() ? "task.stopping" : "task.processing";
      case PENDING, SUCCESS, FAILED, TIMEOUT ->
          "task." + taskTransition.state().name().toLowerCase(Locale.ROOT);
    };
  }

  private static NewJournalEvent event(DeadLetterSettlement deadLetterSettlement) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("task_id", deadLetterSettlement.taskId());
    data.put("requeued_as", deadLetterSettlement.requeuedAs());
    data.put("user_id", deadLetterSettlement.userId());
    data.put("actor", deadLetterSettlement.actor());
    return NewJournalEvent.of(
        deadLetterSettlement.requeuedAs().isPresent() ? "task.requeued" : "task.discarded",
        subject(deadLetterSettlement.taskId()),
        deadLetterSettlement.userId(),
        data);
  }

  /**
   * The settlement of a dead letter.
   *
   * @param requeuedAs the task that replaces it; empty if it was dismissed
   */
  record DeadLetterSettlement(
      String taskId, Optional<String> requeuedAs, Optional<Long> userId, String actor) {}
}
