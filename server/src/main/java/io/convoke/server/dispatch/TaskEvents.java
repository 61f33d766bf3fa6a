package io.convoke.server.dispatch;

import io.convoke.engine.dispatch.Move;
import io.convoke.engine.dispatch.PostgresLedger;
import io.convoke.engine.dispatch.Told;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.NewEvent;
import io.convoke.engine.sql.Tx;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The journal's rows of tasks: one for each move, in the transaction that writes it to the ledger,
 * and one for what somebody decided about a task that ended badly. They say nothing of a payload.
 */
final class TaskEvents implements PostgresLedger.Witness {
  private final Journal journal;
  private final DispatchMeters meters;

  TaskEvents(Journal journal, DispatchMeters meters) {
    this.journal = journal;
    this.meters = meters;
  }

  static String subject(String id) {
    return "task:" + id;
  }

  @Override
  public void moved(Tx tx, List<Told> moves) {
    journal.append(tx, moves.stream().map(TaskEvents::event).toList());
    tx.afterCommit(() -> meters.moved(moves));
  }

  /** What somebody decided about a task that ended badly. */
  void settled(Tx tx, List<Settlement> settlements) {
    journal.append(tx, settlements.stream().map(TaskEvents::event).toList());
  }

  private static NewEvent event(Told told) {
    Move move = told.move();
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("task_id", move.id());
    data.put("request_id", told.requestId());
    data.put("task_type", told.type());
    data.put("channel", told.channel());
    data.put("region", told.region());
    data.put("user_id", told.userId());
    data.put("state", move.state().name());
    data.put("attempt", move.attempt());
    data.put("pod_id", move.podId());
    data.put("worker_id", move.workerId());
    data.put("error", move.error());
    data.put("moved_at", move.at());
    return NewEvent.of(type(move), subject(move.id()), told.userId(), data);
  }

  /** The states' names; what runs and is told to stop does not begin to run once more. */
  private static String type(Move move) {
    return switch (move.state()) {
      case PROCESSING -> move.stop() ? "task.stopping" : "task.processing";
      case PENDING, SUCCESS, FAILED, TIMEOUT ->
          "task." + move.state().name().toLowerCase(Locale.ROOT);
    };
  }

  private static NewEvent event(Settlement settlement) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("task_id", settlement.taskId());
    data.put("requeued_as", settlement.requeuedAs());
    data.put("user_id", settlement.userId());
    data.put("actor", settlement.actor());
    return NewEvent.of(
        settlement.requeuedAs().isPresent() ? "task.requeued" : "task.discarded",
        subject(settlement.taskId()),
        settlement.userId(),
        data);
  }

  /**
   * What somebody decided about a task that ended badly.
   *
   * @param requeuedAs the task that was made instead; empty: it was let go
   */
  record Settlement(
      String taskId, Optional<String> requeuedAs, Optional<Long> userId, String actor) {}
}
