package io.convoke.engine.dispatch;

import java.util.ArrayList;
import java.util.List;

/** What the model knows of a task. */
final class ModelTask {
  final String id;
  final NewTask spec;
  TaskStateSnapshot life = TaskStateSnapshot.NEW;
  String pod = "";
  String fence = "";
  String lane;
  long pendingAt;

  /** Whether it was put back to the head of its queue. */
  boolean head;

  /** Whether its channel is kept for it here; after a rebuild the ledger alone does that. */
  boolean unique;

  long claimedAt;
  long leaseEnd;

  /** That its last call to try it again was sent with. */
  double jitter;

  final List<TaskLeaseRef> formerly = new ArrayList<>();

  ModelTask(NewTask spec, long now) {
    this.id = spec.id();
    this.spec = spec;
    this.unique = spec.unique();
    this.lane = spec.region().orElse(KeySpace.GLOBAL);
    this.pendingAt = now;
  }

  /** Its place in the order of its queues: given back to the head, overflowed, or in turn. */
  int rank() {
    return head ? 0 : overflowed() ? 1 : 2;
  }

  boolean overflowed() {
    return lane.startsWith(KeySpace.GLOBAL + ":");
  }

  /** Whether it is to be given before another one, where the order says so. */
  boolean goesBefore(ModelTask other) {
    return rank() < other.rank()
        || (rank() == 1 && other.rank() == 1 && pendingAt < other.pendingAt);
  }

  /** As the audit of {@link ModelRun} writes it. */
  String line() {
    boolean over = life.state().terminal();
    return life.state()
        + (life.stop() ? " stop " : " run ")
        + life.attempt()
        + " "
        + life.tries()
        + " "
        + fence
        + " "
        + pod
        + " "
        + lane
        + " "
        + pendingAt
        + (over ? " over " : "  ")
        + (life.state() == TaskState.PROCESSING ? leaseEnd : "");
  }

  @Override
  public String toString() {
    return id + " " + line();
  }
}
