package io.convoke.engine.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

  /**
   * The task as the durable store holds it.
   *
   * @param rebuilds of the key space so far
   * @param claimUnheard whether the store has not received the latest claim
   */
  OpenTask stored(long now, int rebuilds, boolean claimUnheard) {
    boolean runs = life.state() == TaskState.PROCESSING && !claimUnheard;
    return new OpenTask(
        id,
        spec.requestId(),
        spec.region(),
        spec.channel(),
        Optional.empty(),
        spec.type(),
        spec.spec().toString(),
        runs ? TaskState.PROCESSING : TaskState.PENDING,
        claimUnheard ? life.attempt() - 1 : life.attempt(),
        life.tries(),
        life.stop(),
        true,
        java.time.Duration.ZERO,
        java.time.Duration.ofMillis(now - pendingAt),
        10_000L * rebuilds,
        runs
            ? Optional.of(
                new OpenTask.RunningAttempt(
                    pod, Optional.of(0), java.time.Duration.ofMillis(now - claimedAt)))
            : Optional.empty());
  }

  boolean expired(long now) {
    return life.state() == TaskState.PENDING
        && now > pendingAt + ModelKeySpace.CONFIG.taskTimeout().toMillis();
  }

  /** It may be claimed now: no delay before its next try goes on. */
  boolean waits(long now) {
    return life.state() == TaskState.PENDING && pendingAt <= now;
  }

  /** Its attempt was renewed for a whole lease or longer. */
  boolean ranLong() {
    return leaseEnd - claimedAt >= 2 * ModelKeySpace.CONFIG.lease().toMillis();
  }

  void delay(long now) {
    double backoff = 1000 * Math.pow(2, Math.max(0, life.tries() - 1));
    pendingAt = now + (long) Math.floor(Math.min(30_000, backoff) * (1 + jitter));
  }

  boolean heldBy(String holder) {
    return life.state() == TaskState.PROCESSING && pod.equals(holder);
  }
}
