package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.Supervised;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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
  private final Functions home;
  private final PodName name;
  private final DispatchTerms terms;
  private final Slots slots;
  private final Signal<String> lost;
  private final Signal<Integer> extended;
  private final Consumer<Boolean> drained;
  private final Pause pause = new Pause();
  private final Supervised thread;

  /**
   * When the leases are extended next, by place; at once where it is not said. Only the heart's
   * thread touches this and the next.
   */
  private final Map<Functions, Long> renewAt = new HashMap<>();

  private long beatAt;

  private volatile boolean asked;

  /** Whether all leases are to be proven now. */
  private volatile boolean doubtful;

  /** What Redis answered and this thread has not looked at. */
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

  /** The answer to a beat: for whom it was asked, and whose leases were to be extended. */
  private record Answer(
      Functions at, long sent, List<TaskRun> runs, List<TaskRun> renewed, Renewed told) {}

  Heart(
      Redis redis,
      Functions home,
      PodName name,
      DispatchTerms terms,
      Slots slots,
      Signal<String> lost,
      Signal<Integer> extended,
      Consumer<Boolean> drained) {
    this.redis = redis;
    this.home = home;
    this.name = name;
    this.terms = terms;
    this.slots = slots;
    this.lost = lost;
    this.extended = extended;
    this.drained = drained;
    this.beatAt = System.nanoTime();
    this.thread = Supervised.start("pod-heart-" + name.id(), this::turn);
  }

  /** There is something to beat for. */
  void wake() {
    pause.wake();
  }

  /** Beats at once: something is wanted. */
  void beatNow() {
    asked = true;
    pause.wake();
  }

  /** Redis may have forgotten what is held: asks at once, so that what is lost is known to be. */
  void renewNow() {
    doubtful = true;
    beatNow();
  }

  @Override
  public void close() {
    pause.close();
    thread.close();
  }

  private void turn() throws InterruptedException {
    List<TaskRun> runs = slots.running();
    if (runs.isEmpty() && !asked && answers.isEmpty()) {
      boolean _ = pause.await(terms.idle());
      // The claim that ended this wait has said that the pod lives.
      beatAt = System.nanoTime() + terms.beat().toNanos();
      return;
    }
    if (asked || (!runs.isEmpty() && beatAt - System.nanoTime() <= 0)) {
      boolean atHome = asked;
      asked = false;
      beatAt = System.nanoTime() + terms.beat().toNanos();
      beat(runs, atHome);
    }
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      answered(answer);
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

  /** Sends without waiting: a Redis that is slow to answer delays no deadline. */
  private void beat(List<TaskRun> runs, boolean atHome) {
    if (doubtful) {
      doubtful = false;
      renewAt.clear();
    }
    Map<Functions, List<TaskRun>> byPlace =
        runs.stream().collect(Collectors.groupingBy(TaskRun::at));
    if (atHome) {
      byPlace.putIfAbsent(home, List.of());
    }
    byPlace.forEach(this::beat);
  }

  private void beat(Functions at, List<TaskRun> runs) {
    long sent = System.nanoTime();
    Long next = renewAt.get(at);
    List<TaskRun> renewed = next == null || next - sent <= 0 ? runs : List.of();
    int[] offered = slots.offered();
    var _ =
        at.renew(name, offered[0], offered[1], renewed.stream().map(TaskRun::held).toList())
            .begin(redis)
            .whenComplete(
                (answer, error) -> {
                  if (error == null) {
                    boolean _ = answers.add(new Answer(at, sent, runs, renewed, answer));
                    pause.wake();
                  } else {
                    log.debug("pod {} cannot say that it lives", name.id());
                  }
                });
  }

  private void answered(Answer answer) {
    for (int i = 0; i < answer.renewed.size(); i++) {
      if (answer.told.extended().get(i)) {
        answer.renewed.get(i).renewed(answer.sent + terms.lease().minus(terms.margin()).toNanos());
      } else {
        lose(answer.renewed.get(i));
      }
    }
    if (!answer.renewed.isEmpty()) {
      renewAt.put(answer.at, answer.sent + terms.renewal().toNanos());
      extended.emit(answer.renewed.size());
    }
    if (answer.at.equals(home)) {
      drained.accept(answer.told.drain());
    }
    answer.runs.stream()
        .filter(run -> answer.told.stop().contains(run.task().id()))
        .forEach(TaskRun::stop);
  }

  private void lose(TaskRun run) {
    if (run.lose()) {
      log.warn("lost the lease on task {}", run.task().id());
      lost.emit(run.task().id());
    }
  }
}
