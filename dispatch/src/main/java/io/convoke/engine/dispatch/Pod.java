package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.testhook.TestSignal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pod: so many slots of a region, each running one task at a time. It claims for all its free
 * slots in one call, waits for a token when there is nothing, renews all its leases in one call,
 * tells what ended at the same time in one call, and stops what it could not renew before the lease
 * ends.
 *
 * <p>Threads: one waits for tokens ({@link WakeupListener}), one renews leases ({@link
 * PodHeartbeat}), and each task has a virtual thread, which also reports how it ended. All meet in
 * {@link SlotPool}.
 */
public final class Pod implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Pod.class);
  private static final String RELISTEN = "room";

  /** Pods that a token may pass because what it announces costs more than they have free. */
  private static final int HOPS_MAX = 32;

  private static final Duration SHUTDOWN_GRACE = Duration.ofSeconds(5);

  private final Redis redis;
  private final KeySpaceDirectory keySpaceDirectory;
  private final PodId name;
  private final DispatchConfig config;
  private final AttemptHandler attemptHandler;
  private final SlotPool slotPool;
  private final AtomicInteger wanted = new AtomicInteger();
  private final TaskClaimer taskClaimer;

  /** Places that it ever claimed something in. */
  private final Set<TaskScripts> claimedAt = ConcurrentHashMap.newKeySet();

  /** The look for work that is under way, or the last one. */
  private volatile CompletableFuture<TaskClaimer.ClaimRoundResult> claiming =
      CompletableFuture.completedFuture(TaskClaimer.ClaimRoundResult.DONE);

  private final CompletionReporter completionReporter;
  private final TestSignal<Task> ended = new TestSignal<>();
  private final TestSignal<String> lost = new TestSignal<>();
  private final TestSignal<Integer> renewed = new TestSignal<>();
  private final TestSignal<Integer> claimRounds = new TestSignal<>();
  private final PodHeartbeat podHeartbeat;

  /** One, or on a cluster one at home and one at the global queue. */
  private final List<WakeupListener> listeners;

  /** Starts to take tasks. */
  public Pod(
      Redis redis,
      PodId name,
      int slots,
      PodCapacity podCapacity,
      DispatchConfig config,
      AttemptHandler attemptHandler) {
    this.redis = redis;
    this.keySpaceDirectory = new KeySpaceDirectory(redis, config);
    this.name = name;
    this.config = config;
    this.attemptHandler = attemptHandler;
    this.slotPool = new SlotPool(slots, podCapacity);
    this.completionReporter = new CompletionReporter(redis, name);
    this.taskClaimer =
        new TaskClaimer(
            redis, keySpaceDirectory, name, this.slotPool, this::begin, this::logClaimFailure);
    this.podHeartbeat =
        new PodHeartbeat(redis, home(), name, config, this.slotPool, lost, renewed, this::drained);
    this.listeners =
        keySpaceDirectory.many()
            ? List.of(
                listener(home(), name.region()),
                listener(keySpaceDirectory.global(), KeySpace.GLOBAL))
            : List.of(listener(home(), name.region(), KeySpace.GLOBAL));
    redis.onConnect(podHeartbeat::beatNow);
  }

  private TaskScripts home() {
    return keySpaceDirectory.home(name.region());
  }

  /** Hears the tokens of these queues in a place, and what it tells this pod. */
  private WakeupListener listener(TaskScripts at, String... queues) {
    return new WakeupListener(
        redis,
        at.keySpace(),
        "pod-ear-" + name.id(),
        config.idle(),
        () -> listsToPop(at.keySpace(), queues),
        (list, token) -> heard(at.keySpace(), list, token),
        (list, token) -> {},
        () -> {
          registerRegion();
          boolean listensForWork = slotPool.listensForWork();
          if (listensForWork) {
            var _ = claim();
          }
          if (!listensForWork || !slotPool.running().isEmpty()) {
            // A word to this pod may have been lost with its connection.
            podHeartbeat.beatNow();
          }
        });
  }

  /** The region of a pod is one even if it has no task yet. */
  private void registerRegion() {
    try {
      if (!keySpaceDirectory.register(name.region())) {
        log.warn("pod {} takes from the global queue only: too many regions", name.id());
      }
    } catch (RedisUnavailable e) {
      log.debug("the directory of regions is out of reach, pod {} asks again", name.id());
    }
  }

  /** Who it is. */
  public PodId name() {
    return name;
  }

  /** The tasks that it runs now. */
  public List<Task> running() {
    return slotPool.running().stream().map(TaskAttempt::task).toList();
  }

  /** Each task, as it was claimed, whose outcome was reported. */
  public TestSignal<Task> ended() {
    return ended;
  }

  /** The id of each task whose lease was lost. */
  public TestSignal<String> lost() {
    return lost;
  }

  /** How many leases each renewal asked for. */
  TestSignal<Integer> renewed() {
    return renewed;
  }

  /** How many tasks each look for work brought. */
  TestSignal<Integer> claimRounds() {
    return claimRounds;
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
    unregister();
    boolean all = slotPool.awaitNone(atMost);
    if (!all) {
      slotPool.running().forEach(run -> run.takeBack("its pod was shut down"));
      boolean _ = slotPool.awaitNone(SHUTDOWN_GRACE);
      unregister();
    } else {
      unregister();
    }
    listeners.forEach(WakeupListener::close);
    podHeartbeat.close();
    completionReporter.close();
    return all;
  }

  /** Ends without a word, as a crash would: for tests. */
  void crash() {
    takeNothingMore();
    listeners.forEach(WakeupListener::close);
    podHeartbeat.close();
    completionReporter.close();
    slotPool
        .running()
        .forEach(
            run -> {
              boolean _ = run.lose();
            });
  }

  /** What the store answers to each beat: whether an operator wants this pod to take nothing. */
  private void drained(boolean wanted) {
    if (!slotPool.pause(wanted)) {
      return;
    }
    log.info("pod {} is told to take {}", name.id(), wanted ? "no more tasks" : "tasks again");
    podHeartbeat.beatNow();
    relisten();
    if (!wanted) {
      var _ = claim();
    }
  }

  /** What a claim that is under way brings is in its slot when this returns. */
  private void takeNothingMore() {
    slotPool.drain();
    TaskClaimer.ClaimRoundResult _ = claiming.join();
  }

  /** At home, and wherever it has claimed something. */
  private void unregister() {
    Set<TaskScripts> all = new LinkedHashSet<>(claimedAt);
    boolean _ = all.add(home());
    for (TaskScripts at : all) {
      try {
        int _ = at.unregister(name, config.silence()).on(redis);
      } catch (RedisUnavailable e) {
        log.info("Redis does not hear that pod {} leaves; it will notice", name.id());
      }
    }
  }

  private String[] listsToPop(KeySpace keySpace, String... queues) {
    List<String> lists = new ArrayList<>();
    lists.add(keySpace.inbox(name.id()));
    if (slotPool.listensForWork()) {
      for (String queue : queues) {
        slotPool
            .capacity()
            .onlyTypes()
            .ifPresentOrElse(
                types -> types.forEach(type -> lists.add(keySpace.wake(queue, type))),
                () -> lists.add(keySpace.wake(queue)));
      }
    }
    return lists.toArray(String[]::new);
  }

  /** Runs on the connection's thread. */
  private CompletionStage<?> heard(KeySpace keySpace, String list, String token) {
    if (!list.equals(keySpace.inbox(name.id()))) {
      return claim().thenAccept(claimRoundResult -> passOn(list, token, claimRoundResult));
    }
    if (!token.equals(RELISTEN)) {
      podHeartbeat.beatNow();
    }
    return CompletableFuture.completedStage(true);
  }

  /**
   * Looks for work; while one look is under way, others leave it to that one to look again. Answers
   * what the last of them came to.
   */
  private CompletableFuture<TaskClaimer.ClaimRoundResult> claim() {
    if (wanted.getAndIncrement() > 0) {
      return claiming;
    }
    CompletableFuture<TaskClaimer.ClaimRoundResult> end = new CompletableFuture<>();
    claiming = end;
    claimUntilSettled(end);
    return end;
  }

  private void claimUntilSettled(CompletableFuture<TaskClaimer.ClaimRoundResult> end) {
    int seen = wanted.get();
    var _ =
        claimSafely()
            .whenComplete(
                (claimRoundResult, error) -> {
                  if (error != null) {
                    logClaimFailure(error);
                  }
                  if (wanted.compareAndSet(seen, 0)) {
                    boolean _ =
                        end.complete(
                            error == null ? claimRoundResult : TaskClaimer.ClaimRoundResult.DONE);
                  } else {
                    claimUntilSettled(end);
                  }
                });
  }

  /** A fault of ours must not end all looking. */
  private CompletionStage<TaskClaimer.ClaimRoundResult> claimSafely() {
    try {
      return taskClaimer.claimRound();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private void logClaimFailure(Throwable error) {
    Throwable cause = error instanceof CompletionException e ? e.getCause() : error;
    if (cause instanceof RedisUnavailable) {
      log.debug("Redis is away, pod {} looks when it is back", name.id());
    } else {
      log.error("pod {} could not look for work", name.id(), cause);
    }
  }

  private void begin(TaskScripts at, List<Task> tasks, long sent) {
    for (Task task : tasks) {
      TaskAttempt run = new TaskAttempt(at, task, task.workerId().orElseThrow(), sent, config);
      slotPool.fill(run);
      Thread _ = Thread.ofVirtual().name("task-" + task.id()).start(() -> work(run));
    }
    if (!tasks.isEmpty()) {
      boolean _ = claimedAt.add(at);
      podHeartbeat.wake();
    }
    claimRounds.emit(tasks.size());
  }

  private void work(TaskAttempt run) {
    boolean reported =
        run.run(attemptHandler)
            .map(attemptOutcome -> completionReporter.report(run, attemptOutcome))
            .orElse(false);
    boolean inboxOnly = slotPool.clear(run);
    if (reported) {
      ended.emit(run.task());
    }
    var _ = claim();
    if (inboxOnly && slotPool.listensForWork()) {
      relisten();
    }
  }

  /**
   * Gives a token to the next pod that waits for it, where this one had no slot for what it
   * announces, or too little capacity: another pod may have enough. A token says how many pods
   * passed it on so; if that are many, the next tick gives another one.
   */
  private void passOn(String list, String token, TaskClaimer.ClaimRoundResult claimRoundResult) {
    int hops = Integer.parseInt(token);
    switch (claimRoundResult) {
      case DONE -> {}
      case NO_SLOT -> give(list, hops);
      case TOO_COSTLY -> {
        if (hops < HOPS_MAX) {
          give(list, hops + 1);
        }
      }
    }
  }

  /** It is not waited for. */
  private void give(String list, int hops) {
    try {
      var _ = redis.async(list).lpush(list, Integer.toString(hops));
    } catch (RedisUnavailable e) {
      log.debug("Redis is away, and its tokens with it");
    }
  }

  /** Lets the ears hear that there is room again. */
  private void relisten() {
    for (TaskScripts at :
        keySpaceDirectory.many() ? List.of(home(), keySpaceDirectory.global()) : List.of(home())) {
      try {
        String inbox = at.keySpace().inbox(name.id());
        long _ = redis.call(inbox, commands -> commands.lpush(inbox, RELISTEN));
      } catch (RedisUnavailable e) {
        log.debug("Redis is away, the ear listens anew when it is back");
      }
    }
  }
}
