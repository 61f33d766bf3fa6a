package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.Supervised;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that a pod lives while it holds tasks, hears with the answer what is to stop, and extends
 * all leases in the same call when the time has come. A lease that was not extended in time is lost
 * a tenth of its length before it ends: its work is interrupted while others are still kept out.
 */
final class Heart implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);

  private final Redis redis;
  private final Functions functions;
  private final PodName name;
  private final DispatchTerms terms;
  private final Slots slots;
  private final Signal<String> lost;
  private final Pause pause = new Pause();
  private final Supervised thread;

  /** When the leases are extended next; only the heart's thread touches this and the next. */
  private long renewAt;

  private long beatAt;

  private volatile boolean asked;

  Heart(
      Redis redis,
      Functions functions,
      PodName name,
      DispatchTerms terms,
      Slots slots,
      Signal<String> lost) {
    this.redis = redis;
    this.functions = functions;
    this.name = name;
    this.terms = terms;
    this.slots = slots;
    this.lost = lost;
    this.renewAt = System.nanoTime();
    this.beatAt = renewAt;
    this.thread = Supervised.start("pod-heart-" + name.id(), this::turn);
  }

  /** There is something to beat for. */
  void wake() {
    pause.wake();
  }

  /** Beats at once: something is to stop. */
  void beatNow() {
    asked = true;
    pause.wake();
  }

  @Override
  public void close() {
    pause.close();
    thread.close();
  }

  private void turn() throws InterruptedException {
    List<TaskRun> runs = slots.running();
    if (runs.isEmpty() && !asked) {
      boolean _ = pause.await(terms.idle());
      // The claim that ended this wait has said that the pod lives.
      beatAt = System.nanoTime() + terms.beat().toNanos();
      return;
    }
    if (asked || beatAt - System.nanoTime() <= 0) {
      asked = false;
      beatAt = System.nanoTime() + terms.beat().toNanos();
      beat(runs);
    }
    long now = System.nanoTime();
    runs.stream().filter(run -> run.overdue(now)).forEach(this::lose);
    boolean _ = pause.await(untilNext(runs, now));
  }

  /** Until the next beat, or sooner if a lease is to be lost before. */
  private Duration untilNext(List<TaskRun> runs, long now) {
    Duration beat = Duration.ofNanos(Math.max(0, beatAt - now));
    return runs.stream()
        .filter(run -> !run.overdue(now))
        .map(run -> run.left(now))
        .filter(left -> left.compareTo(beat) < 0)
        .min(Duration::compareTo)
        .orElse(beat);
  }

  private void beat(List<TaskRun> runs) {
    long sent = System.nanoTime();
    List<TaskRun> renewed = renewAt - sent <= 0 ? runs : List.of();
    int[] offered = slots.offered();
    Renewed answer;
    try {
      answer =
          functions
              .renew(
                  name,
                  offered[0],
                  offered[1],
                  terms.alive(),
                  renewed.stream().map(TaskRun::held).toList())
              .on(redis);
    } catch (RedisUnavailable e) {
      log.debug("pod {} cannot say that it lives", name.id());
      return;
    }
    for (int i = 0; i < renewed.size(); i++) {
      if (answer.extended().get(i)) {
        renewed.get(i).renewed(sent + terms.lease().minus(terms.margin()).toNanos());
      } else {
        lose(renewed.get(i));
      }
    }
    if (!renewed.isEmpty()) {
      renewAt = sent + terms.renewal().toNanos();
    }
    runs.stream().filter(run -> answer.stop().contains(run.task().id())).forEach(TaskRun::stop);
  }

  private void lose(TaskRun run) {
    if (run.lose()) {
      log.warn("lost the lease on task {}", run.task().id());
      lost.emit(run.task().id());
    }
  }
}
