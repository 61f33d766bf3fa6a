package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.Supervised;
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
 * Renews the leases of all tasks that a pod holds, in one call for each place, and learns from the
 * answer what is to stop and what the pod does not hold any more. A lease that was not extended in
 * time is lost a tenth of its length before it ends: its work is interrupted while other pods are
 * still kept out.
 */
final class Heart implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Heart.class);

  /** After a renewal without an answer, or with one that settles nothing, the next one follows. */
  private static final Duration AGAIN_MAX = Duration.ofSeconds(1);

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

  /** When the leases are renewed next. Only the heart's thread touches this. */
  private long beatAt;

  private volatile boolean asked;

  /** Whether some lease was not settled by the last renewal. */
  private volatile boolean unsettled;

  /** What Redis answered and this thread has not looked at. */
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

  /** The answer to a renewal of these leases. */
  private record Answer(Functions at, long sent, List<TaskRun> runs, Renewed told) {}

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

  /** There is something to renew. */
  void wake() {
    pause.wake();
  }

  /** Renews at once: something is wanted, or Redis may have forgotten what is held. */
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
    if (runs.isEmpty() && !asked && answers.isEmpty()) {
      boolean _ = pause.await(terms.idle());
      // The claim that ended this wait has extended its leases itself.
      beatAt = System.nanoTime() + terms.renewal().toNanos();
      return;
    }
    if (asked || (!runs.isEmpty() && beatAt - System.nanoTime() <= 0)) {
      boolean atHome = asked;
      asked = false;
      beatAt = System.nanoTime() + terms.renewal().toNanos();
      renew(runs, atHome);
    }
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      answered(answer);
    }
    long now = System.nanoTime();
    runs.stream().filter(run -> run.overdue(now)).forEach(this::lose);
    if (unsettled) {
      unsettled = false;
      beatAt = Math.min(beatAt - now, again().toNanos()) + now;
    }
    boolean _ = pause.await(untilNext(runs, now));
  }

  /** Until the next renewal, or sooner if a lease is to be lost before. */
  private Duration untilNext(List<TaskRun> runs, long now) {
    Duration beat = Duration.ofNanos(Math.max(0, beatAt - now));
    return runs.stream()
        .filter(run -> !run.overdue(now))
        .map(run -> run.left(now))
        .filter(left -> left.compareTo(beat) < 0)
        .min(Duration::compareTo)
        .orElse(beat);
  }

  private Duration again() {
    return terms.renewal().compareTo(AGAIN_MAX) < 0 ? terms.renewal() : AGAIN_MAX;
  }

  /** Sends without waiting: a Redis that is slow to answer delays no deadline. */
  private void renew(List<TaskRun> runs, boolean atHome) {
    Map<Functions, List<TaskRun>> byPlace =
        runs.stream().collect(Collectors.groupingBy(TaskRun::at));
    if (atHome) {
      byPlace.putIfAbsent(home, List.of());
    }
    byPlace.forEach(this::renew);
  }

  private void renew(Functions at, List<TaskRun> runs) {
    long sent = System.nanoTime();
    int[] offered = slots.offered();
    var _ =
        at.renew(name, offered[0], offered[1], runs.stream().map(TaskRun::held).toList())
            .begin(redis)
            .whenComplete(
                (answer, error) -> {
                  if (error == null) {
                    boolean _ = answers.add(new Answer(at, sent, runs, answer));
                  } else {
                    log.debug("pod {} cannot renew its leases", name.id());
                    unsettled = true;
                  }
                  pause.wake();
                });
  }

  private void answered(Answer answer) {
    for (int i = 0; i < answer.runs.size(); i++) {
      TaskRun run = answer.runs.get(i);
      switch (answer.told.words().get(i)) {
        case APPLIED -> run.renewed(answer.sent + terms.lease().minus(terms.margin()).toNanos());
        case UNSURE -> unsettled = true;
        case REPEATED, STALE, UNKNOWN -> lose(run);
      }
    }
    if (!answer.runs.isEmpty()) {
      extended.emit(answer.runs.size());
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
