package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.Handler.Outcome;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Together;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.wake.Pause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pod: so many slots of a region, each running one task at a time. It claims for all its free
 * slots in one call, waits for a token when there is nothing, renews all its leases in one call,
 * tells what ended at the same time in one call, and stops what it could not renew before the lease
 * ends.
 *
 * <p>Threads: one waits for tokens ({@link Ear}), one beats ({@link Heart}), and each task has a
 * virtual thread, which also reports how it ended. All meet in {@link Slots}.
 */
public final class Pod implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Pod.class);
  private static final Duration REPORT_AGAIN = Duration.ofMillis(250);
  private static final Duration LAST_WORDS = Duration.ofSeconds(5);

  /** Ends of one call, and calls on their way, where many tasks end at the same time. */
  private static final int TOGETHER_MAX = 128;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final Functions functions;
  private final PodName name;
  private final DispatchTerms terms;
  private final Handler handler;
  private final Slots slots;
  private final AtomicInteger wanted = new AtomicInteger();
  private final Together<Held, Word> completing;

  /** The look for work that is under way, or the last one: whether there was room at its end. */
  private volatile CompletableFuture<Boolean> looking = CompletableFuture.completedFuture(true);

  private final Pause reporting = new Pause();
  private final Signal<Task> ended = new Signal<>();
  private final Signal<String> lost = new Signal<>();
  private final Signal<Integer> renewed = new Signal<>();
  private final Signal<Integer> looked = new Signal<>();
  private final Heart heart;
  private final Ear ear;

  /** Starts to take tasks. */
  public Pod(
      Redis redis,
      PodName name,
      int slots,
      Capacity capacity,
      DispatchTerms terms,
      Handler handler) {
    this.redis = redis;
    this.functions = new Functions(Scripts.LIVE, Place.ONE, terms);
    this.name = name;
    this.terms = terms;
    this.handler = handler;
    this.slots = new Slots(slots, capacity);
    this.completing =
        new Together<>(
            TOGETHER_MAX, CALLS_MAX, held -> functions.complete(name.id(), held).begin(redis));
    this.heart = new Heart(redis, functions, name, terms, this.slots, lost, renewed);
    this.ear =
        new Ear(
            redis,
            "pod-ear-" + name.id(),
            terms.idle(),
            this::listsToHear,
            this::heard,
            (list, token) -> {},
            () -> {
              var _ = look();
            });
  }

  /** The tasks that it runs now. */
  public List<Task> running() {
    return slots.running().stream().map(TaskRun::task).toList();
  }

  /** Each task, as it was claimed, whose outcome was reported. */
  public Signal<Task> ended() {
    return ended;
  }

  /** The id of each task whose lease was lost. */
  public Signal<String> lost() {
    return lost;
  }

  /** How many leases each renewal asked for. */
  Signal<Integer> renewed() {
    return renewed;
  }

  /** How many tasks each look for work brought. */
  Signal<Integer> looked() {
    return looked;
  }

  /** Stops at once: what runs is interrupted and given back. */
  @Override
  public void close() {
    boolean _ = drain(Duration.ZERO);
  }

  /**
   * Takes nothing any more and lets what runs come to its end; what has not by then is interrupted
   * and given back, so that another pod begins it anew.
   *
   * @return whether all came to its end by itself
   */
  public boolean drain(Duration atMost) {
    takeNothingMore();
    farewell();
    boolean all = slots.awaitNone(atMost);
    if (!all) {
      slots.running().forEach(run -> run.takeBack("its pod was shut down"));
      boolean _ = slots.awaitNone(LAST_WORDS);
      farewell();
    } else {
      farewell();
    }
    ear.close();
    heart.close();
    reporting.close();
    return all;
  }

  /** Ends without a word, as a crash would: for tests. */
  void crash() {
    takeNothingMore();
    ear.close();
    heart.close();
    reporting.close();
    slots
        .running()
        .forEach(
            run -> {
              boolean _ = run.lose();
            });
  }

  /** What a claim that is under way brings is in its slot when this returns. */
  private void takeNothingMore() {
    slots.drain();
    boolean _ = looking.join();
  }

  private void farewell() {
    try {
      int _ = functions.leave(name, terms.alive()).on(redis);
    } catch (RedisUnavailable e) {
      log.info("Redis does not hear that pod {} leaves; it will notice", name.id());
    }
  }

  private String[] listsToHear() {
    String inbox = Place.ONE.inbox(name.id());
    return slots.listens()
        ? new String[] {inbox, Place.ONE.wake(name.region()), Place.ONE.wake(Place.GLOBAL)}
        : new String[] {inbox};
  }

  /** Runs on the connection's thread. */
  private CompletionStage<?> heard(String list, String token) {
    if (!list.equals(Place.ONE.inbox(name.id()))) {
      return look()
          .thenAccept(
              room -> {
                if (!room) {
                  passOn(list);
                }
              });
    }
    if (token.equals("stop")) {
      heart.beatNow();
    }
    return CompletableFuture.completedStage(true);
  }

  /**
   * Looks for work; while one look is under way, others leave it to that one to look again. Answers
   * at its end whether there was room for what a token may announce.
   */
  private CompletableFuture<Boolean> look() {
    if (wanted.getAndIncrement() > 0) {
      return looking;
    }
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    looking = end;
    lookOn(end);
    return end;
  }

  private void lookOn(CompletableFuture<Boolean> end) {
    int seen = wanted.get();
    var _ =
        claimSafely()
            .whenComplete(
                (room, error) -> {
                  if (error != null) {
                    tellNoClaim(error);
                  }
                  if (wanted.compareAndSet(seen, 0)) {
                    boolean _ = end.complete(error != null || room);
                  } else {
                    lookOn(end);
                  }
                });
  }

  /** A fault of ours must not end all looking. */
  private CompletionStage<Boolean> claimSafely() {
    try {
      return claim();
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void tellNoClaim(Throwable error) {
    Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
    if (cause instanceof RedisUnavailable) {
      log.debug("Redis is away, pod {} looks when it is back", name.id());
    } else {
      log.error("pod {} could not look for work", name.id(), cause);
    }
  }

  /** Claims for the slots that are free; false if none is. */
  private CompletionStage<Boolean> claim() {
    Slots.Room room = slots.room();
    if (room.free().isEmpty()) {
      return CompletableFuture.completedStage(false);
    }
    long sent = System.nanoTime();
    return functions
        .claim(name, slots.count(), room.free(), room.capacity(), room.left())
        .begin(redis)
        .thenApply(
            claimed -> {
              begin(claimed.tasks(), sent + terms.lease().minus(terms.margin()).toNanos());
              return true;
            });
  }

  private void begin(List<Task> tasks, long until) {
    for (Task task : tasks) {
      TaskRun run = new TaskRun(task, task.workerId().orElseThrow(), until);
      slots.fill(run);
      Thread _ = Thread.ofVirtual().name("task-" + task.id()).start(() -> work(run));
    }
    if (!tasks.isEmpty()) {
      heart.wake();
    }
    looked.emit(tasks.size());
  }

  private void work(TaskRun run) {
    boolean told = run.run(handler).map(outcome -> report(run, outcome)).orElse(false);
    boolean deaf = slots.clear(run);
    if (told) {
      ended.emit(run.task());
    }
    var _ = look();
    if (deaf && slots.listens()) {
      nudge();
    }
  }

  /** Tells how it ended, again and again until it was heard or the lease ends. */
  private boolean report(TaskRun run, Outcome outcome) {
    while (true) {
      try {
        Word word = say(run.held(), outcome);
        if (word == Word.STALE || word == Word.UNKNOWN) {
          log.warn("task {} is not ours any more, its outcome does not count", run.task().id());
        }
        return word == Word.APPLIED || word == Word.REPEATED;
      } catch (RedisUnavailable e) {
        if (!waitToReport(run)) {
          log.warn("the outcome of task {} could not be told", run.task().id());
          return false;
        }
      }
    }
  }

  private boolean waitToReport(TaskRun run) {
    try {
      return !run.overdue(System.nanoTime()) && reporting.await(REPORT_AGAIN);
    } catch (InterruptedException e) {
      // Only a loss interrupts here; the next look at the lease ends the loop.
      return !run.overdue(System.nanoTime());
    }
  }

  private Word say(Held held, Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _ -> completing.ask(held);
      case Outcome.Failed(String reason) -> functions.fail(name.id(), held, reason).on(redis);
      case Outcome.TryAgain(String reason) -> functions.tryAgain(name.id(), held, reason).on(redis);
    };
  }

  /** Gives back a token that came when there was no room any more; it is not waited for. */
  private void passOn(String list) {
    try {
      var _ = redis.async().lpush(list, "1");
    } catch (RedisUnavailable e) {
      log.debug("Redis is away, and its tokens with it");
    }
  }

  /** Lets the ear hear that there is room again. */
  private void nudge() {
    try {
      long _ = redis.call(commands -> commands.lpush(Place.ONE.inbox(name.id()), "room"));
    } catch (RedisUnavailable e) {
      log.debug("Redis is away, the ear listens anew when it is back");
    }
  }
}
