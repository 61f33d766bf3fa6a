package io.convoke.engine.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The model's state of a task. */
final class ModelTask {
  final String id;
  final NewTask spec;
  TaskStateSnapshot life = TaskStateSnapshot.NEW;
  String pod = "";
  String fence = "";
  String lane;
  long pendingAt;

  /** Whether it was returned to the head of its queue. */
  boolean head;

  /** Whether Redis reserves its channel; after a rebuild only the database does. */
  boolean unique;

  long claimedAt;
  long leaseEnd;

  /** The jitter of its last retry call. */
  double jitter;

  final List<TaskLeaseRef> formerly = new ArrayList<>();

  ModelTask(NewTask spec, long now) {
    this.id = spec.id();
    this.spec = spec;
    this.unique = spec.unique();
    this.lane = spec.region().orElse(KeySpace.GLOBAL);
    this.pendingAt = now;
  }

  /** Its rank: returned to the head, overflowed, or in turn. */
  int rank() {
    return head ? 0 : overflowed() ? 1 : 2;
  }

  boolean overflowed() {
    return lane.startsWith(KeySpace.GLOBAL + ":");
  }

  /** Whether it must be claimed before another one, where the order determines that. */
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

  boolean isShownAs(Task known) {
    return known.state() == life.state()
        && known.stop() == life.stop()
        && known.attempt() == life.attempt();
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

  /** It may be claimed now: no backoff is running. */
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
