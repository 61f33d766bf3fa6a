package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all tasks of a pod, in one call for each key space, and processes the
 * replies: stop requests, drain and lost leases. A lease that was not renewed counts as lost a
 * tenth of its length before it ends, so that its work is interrupted before another pod may start
 * the task.
 */
final class PodHeartbeat implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodHeartbeat.class);

  private final Redis redis;
  private final TaskScripts home;
  private final PodId name;
  private final DispatchConfig config;
  private final SlotPool slotPool;
  private final TestSignal<String> lost;
  private final TestSignal<Integer> extended;
  private final Consumer<RenewResult.DrainSetting> drained;
  private final Waiter waiter = new Waiter();
  private final BackgroundLoop thread;

  /** Time of the next renewal. Only the heartbeat thread accesses it. */
  private long nextBeat;

  private volatile boolean renewNow;

  /** Whether the last renewal left a lease undecided. */
  private volatile boolean unsettled;

  /** Replies that this thread has not processed. */
  private final Queue<HeartbeatReply> replies = new ConcurrentLinkedQueue<>();

  /** The reply to a renewal of these leases. */
  private record HeartbeatReply(
      TaskScripts at, long sent, List<TaskAttempt> runs, RenewResult renewResult) {}

  PodHeartbeat(
      Redis redis,
      TaskScripts home,
      PodId name,
      DispatchConfig config,
      SlotPool slotPool,
      TestSignal<String> lost,
      TestSignal<Integer> extended,
      Consumer<RenewResult.DrainSetting> drained) {
    this.redis = redis;
    this.home = home;
    this.name = name;
    this.config = config;
    this.slotPool = slotPool;
    this.lost = lost;
    this.extended = extended;
    this.drained = drained;
    this.nextBeat = System.nanoTime();
    this.thread = BackgroundLoop.start("pod-heartbeat-" + name.id(), this::step);
  }

  /** Wakes the heartbeat thread: there are leases to renew. */
  void wake() {
    waiter.wake();
  }

  /** Renews at once: a stop or drain request arrived, or Redis may have lost the leases. */
  void beatNow() {
    renewNow = true;
    waiter.wake();
  }

  @Override
  public void close() {
    waiter.close();
    thread.close();
  }

  private void step() throws InterruptedException {
    List<TaskAttempt> runs = slotPool.running();
    if (runs.isEmpty() && !renewNow && replies.isEmpty()) {
      boolean _ = waiter.await(config.idle());
      // The claim that ended this wait has set the leases itself.
      nextBeat = System.nanoTime() + config.renewal().toNanos();
      return;
    }
    if (renewNow || (!runs.isEmpty() && nextBeat - System.nanoTime() <= 0)) {
      boolean atHome = renewNow;
      renewNow = false;
      nextBeat = System.nanoTime() + config.renewal().toNanos();
      renew(runs, atHome);
    }
    for (HeartbeatReply heartbeatReply = replies.poll();
        heartbeatReply != null;
        heartbeatReply = replies.poll()) {
      apply(heartbeatReply);
    }
    long now = System.nanoTime();
    runs.stream().filter(run -> run.overdue(now)).forEach(this::lose);
    if (unsettled) {
      unsettled = false;
      nextBeat = Math.min(nextBeat - now, config.again().toNanos()) + now;
    }
    boolean _ = waiter.await(untilNext(runs, now));
  }

  /** Time until the next renewal, or until a lease is lost if that is earlier. */
  private Duration untilNext(List<TaskAttempt> runs, long now) {
    Duration beat = Duration.ofNanos(Math.max(0, nextBeat - now));
    return runs.stream()
        .filter(run -> !run.overdue(now))
        .map(run -> run.left(now))
        .filter(left -> left.compareTo(beat) < 0)
        .min(Duration::compareTo)
        .orElse(beat);
  }

  /** Sends without waiting, so that a slow Redis delays no deadline. */
  private void renew(List<TaskAttempt> runs, boolean atHome) {
    Map<TaskScripts, List<TaskAttempt>> byPlace =
        runs.stream().collect(Collectors.groupingBy(TaskAttempt::at));
    if (atHome) {
      byPlace.putIfAbsent(home, List.of());
    }
    byPlace.forEach(this::renew);
  }

  private void renew(TaskScripts at, List<TaskAttempt> runs) {
    long sent = System.nanoTime();
    int[] offered = slotPool.offered();
    var _ =
        at.renew(
                name,
                offered[0],
                offered[1],
                slotPool.setting(),
                runs.stream().map(TaskAttempt::held).toList())
            .begin(redis)
            .whenComplete(
                (answer, error) -> {
                  if (error == null) {
                    boolean _ = replies.add(new HeartbeatReply(at, sent, runs, answer));
                  } else {
                    log.debug("Pod {} cannot renew its leases", name.id());
                    unsettled = true;
                  }
                  waiter.wake();
                });
  }

  private void apply(HeartbeatReply heartbeatReply) {
    for (int i = 0; i < heartbeatReply.runs.size(); i++) {
      TaskAttempt run = heartbeatReply.runs.get(i);
      switch (heartbeatReply.renewResult.results().get(i)) {
        case APPLIED ->
            run.renewed(heartbeatReply.sent + config.lease().minus(config.margin()).toNanos());
        case UNSURE -> unsettled = true;
        case REPEATED, STALE, UNKNOWN -> lose(run);
      }
    }
    if (!heartbeatReply.runs.isEmpty()) {
      extended.emit(heartbeatReply.runs.size());
    }
    if (heartbeatReply.at.equals(home)) {
      drained.accept(heartbeatReply.renewResult.setting());
    }
    heartbeatReply.runs.stream()
        .filter(run -> heartbeatReply.renewResult.stop().contains(run.task().id()))
        .forEach(TaskAttempt::stop);
  }

  private void lose(TaskAttempt run) {
    if (run.lose()) {
      log.warn("Lease lost: task {}", run.task().id());
      lost.emit(run.task().id());
    }
  }
}
