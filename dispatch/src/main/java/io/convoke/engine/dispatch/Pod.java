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
 * A pod: slots in a region, each running one task at a time. It claims for all free slots in one
 * call, waits for a wake-up token when no task is available, renews all leases in one call, batches
 * reports of completed tasks, and stops work before its lease ends if it cannot renew.
 *
 * <p>Threads: one waits for tokens ({@link WakeupListener}), one renews leases ({@link
 * PodHeartbeat}), and each task has a virtual thread, which also reports its outcome. They share
 * {@link SlotPool}.
 */
public final class Pod implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Pod.class);
  private static final String RELISTEN = "room";

  /** Pods that may pass on a token because the task costs more than they have free. */
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

  /** Key spaces in which this pod has claimed tasks. */
  private final Set<TaskScripts> claimedAt = ConcurrentHashMap.newKeySet();

  /** The claim round in progress, or the last one. */
  private volatile CompletableFuture<TaskClaimer.ClaimRoundResult> claiming =
      CompletableFuture.completedFuture(TaskClaimer.ClaimRoundResult.DONE);

  private final CompletionReporter completionReporter;
  private final TestSignal<Task> ended = new TestSignal<>();
  private final TestSignal<String> lost = new TestSignal<>();
  private final TestSignal<Integer> renewed = new TestSignal<>();
  private final TestSignal<Integer> claimRounds = new TestSignal<>();
  private final PodHeartbeat podHeartbeat;

  /** One, or on a cluster one for the home key space and one for the global one. */
  private final List<WakeupListener> listeners;

  /** Starts claiming tasks. */
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

  /** Listens for wake-up tokens of these queues and for messages to this pod. */
  private WakeupListener listener(TaskScripts at, String... queues) {
    return new WakeupListener(
        redis,
        at.keySpace(),
        "pod-listener-" + name.id(),
        config.idle(),
        () -> listsToPop(at.keySpace(), queues),
        (list, token) -> onToken(at.keySpace(), list, token),
        (list, token) -> {},
        () -> {
          registerRegion();
          boolean listensForWork = slotPool.listensForWork();
          if (listensForWork) {
            var _ = claim();
          }
          if (!listensForWork || !slotPool.running().isEmpty()) {
            // A message may have been lost with the connection.
            podHeartbeat.beatNow();
          }
        });
  }

  /** Registers the pod's region, even before it has a task. */
  private void registerRegion() {
    try {
      keySpaceDirectory.registerAlways(name.region());
    } catch (RedisUnavailable e) {
      log.debug("Region directory unreachable; pod {} registers again later", name.id());
    }
  }

  /** The id of this pod. */
  public PodId name() {
    return name;
  }

  /** The running tasks. */
  public List<Task> running() {
    return slotPool.running().stream().map(TaskAttempt::task).toList();
  }

  /** Emits each task whose outcome was reported, as claimed. */
  public TestSignal<Task> ended() {
    return ended;
  }

  /** Emits the id of each task whose lease was lost. */
  public TestSignal<String> lost() {
    return lost;
  }

  /** Emits the number of leases in each renewal. */
  TestSignal<Integer> renewed() {
    return renewed;
  }

  /** Emits the number of tasks of each claim. */
  TestSignal<Integer> claimRounds() {
    return claimRounds;
  }

  /** Stops at once: interrupts and returns running tasks. */
  @Override
  public void close() {
    boolean _ = drain(Duration.ZERO);
  }

  /**
   * Stops claiming and waits for running tasks; interrupts and returns those that have not ended in
   * time, so that other pods start them anew.
   *
   * @return whether all tasks ended by themselves
   */
  public boolean drain(Duration atMost) {
    takeNothingMore();
    unregister();
    boolean all = slotPool.awaitNone(atMost);
    if (!all) {
      slotPool.running().forEach(run -> run.takeBack("its pod was shut down"));
      boolean _ = slotPool.awaitNone(SHUTDOWN_GRACE);
    }
    listeners.forEach(WakeupListener::close);
    podHeartbeat.close();
    completionReporter.close();
    // Last: a heartbeat after it would list the pod for as long as an idle one may be silent.
    unregister();
    return all;
  }

  /** Stops without reporting, like a crash; for tests. */
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

  /** Handles the drain flag in a renewal reply. */
  private void drained(RenewResult.DrainSetting setting) {
    if (!slotPool.set(setting)) {
      return;
    }
    log.info("Pod {} {}", name.id(), setting.drain() ? "is draining" : "claims tasks again");
    podHeartbeat.beatNow();
    relisten();
    if (!setting.drain()) {
      var _ = claim();
    }
  }

  /** Stops claiming; tasks of a claim in progress are in their slots when this returns. */
  private void takeNothingMore() {
    slotPool.drain();
    TaskClaimer.ClaimRoundResult _ = claiming.join();
  }

  /** Unregisters in the home key space and in each one where this pod has claimed. */
  private void unregister() {
    Set<TaskScripts> all = new LinkedHashSet<>(claimedAt);
    boolean _ = all.add(home());
    for (TaskScripts at : all) {
      try {
        int _ = at.unregister(name, config.silence()).on(redis);
      } catch (RedisUnavailable e) {
        log.info("Redis unreachable; pod {} stays listed until its leases end", name.id());
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

  /** Handles a token on the connection's thread. */
  private CompletionStage<?> onToken(KeySpace keySpace, String list, String token) {
    if (!list.equals(keySpace.inbox(name.id()))) {
      return claim().thenAccept(claimRoundResult -> passOn(list, token, claimRoundResult));
    }
    if (!token.equals(RELISTEN)) {
      podHeartbeat.beatNow();
    }
    return CompletableFuture.completedStage(true);
  }

  /**
   * Starts a claim round; a call during a round makes that round claim again. Completes with the
   * result of the last round.
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

  /** A bug must not end claiming for good. */
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
      log.debug("Redis unreachable; pod {} claims after reconnecting", name.id());
    } else {
      log.error("Pod {} failed to claim tasks", name.id(), cause);
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
    boolean reported = false;
    boolean inboxOnly;
    try {
      reported =
          run.run(attemptHandler)
              .map(attemptOutcome -> completionReporter.report(run, attemptOutcome))
              .orElse(false);
    } catch (RuntimeException | Error e) {
      log.error("Outcome of task {} not reported; its lease ends", run.task().id(), e);
    } finally {
      // The heartbeat renews the leases of all slots that are not cleared.
      inboxOnly = slotPool.clear(run);
    }
    if (reported) {
      ended.emit(run.task());
    }
    var _ = claim();
    if (slotPool.setting().drain() && slotPool.running().isEmpty()) {
      // It makes no claim, which would report that it has no task any more.
      podHeartbeat.beatNow();
    }
    if (inboxOnly && slotPool.listensForWork()) {
      relisten();
    }
  }

  /**
   * Passes a token to the next waiting pod if this one had no slot or too little capacity for the
   * task. The token counts its hops; after {@link #HOPS_MAX} the next tick adds another token.
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

  /** Sent without waiting. */
  private void give(String list, int hops) {
    try {
      var _ = redis.async(list).lpush(list, Integer.toString(hops));
    } catch (RedisUnavailable e) {
      log.debug("Redis unreachable; token not passed on");
    }
  }

  /** Makes the listeners wait for tokens again after a slot became free. */
  private void relisten() {
    for (TaskScripts at :
        keySpaceDirectory.many() ? List.of(home(), keySpaceDirectory.global()) : List.of(home())) {
      try {
        String inbox = at.keySpace().inbox(name.id());
        long _ = redis.call(inbox, commands -> commands.lpush(inbox, RELISTEN));
      } catch (RedisUnavailable e) {
        log.debug("Redis unreachable; the listener starts again after reconnecting");
      }
    }
  }
}
