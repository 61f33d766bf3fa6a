package io.convoke.bench.dispatch;

import io.convoke.engine.dispatch.AttemptHandler;
import io.convoke.engine.dispatch.DispatchConfig;
import io.convoke.engine.dispatch.DispatchMaintainer;
import io.convoke.engine.dispatch.DispatchService;
import io.convoke.engine.dispatch.DurableTaskStore;
import io.convoke.engine.dispatch.EnqueueResult;
import io.convoke.engine.dispatch.KeySpace;
import io.convoke.engine.dispatch.NewTask;
import io.convoke.engine.dispatch.Pod;
import io.convoke.engine.dispatch.PodCapacity;
import io.convoke.engine.dispatch.PodId;
import io.convoke.engine.dispatch.TaskQueue;
import io.convoke.engine.dispatch.TaskState;
import io.convoke.engine.redis.Redis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Convoke's dispatch without a database, as all candidates here are: callers that each submit one
 * task, pods with slots, and a maintainer that handles overdue tasks. Ended tasks are kept for 48
 * h, and every transition goes through the outbox.
 */
final class ConvokeDispatchCandidate implements DispatchCandidate {
  static final String NAME = "convoke";
  static final DispatchConfig TERMS = DispatchConfig.seed();

  private static final String GENERATION = "convoke:dispatch:generation";

  /** Has Redis compared as a server does at its start: pods take nothing before. */
  static void compare(Redis redis) {
    try (DispatchMaintainer _ =
        new DispatchMaintainer(new TaskQueue(redis, TERMS), DurableTaskStore.NONE, TERMS)) {
      while (redis.call(commands -> commands.exists(GENERATION)) == 0) {
        Thread.onSpinWait();
      }
    }
  }

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String REGION = "eu";
  private static final int CALLERS = 256;
  private static final int CHANNELS = 100;
  private static final int PODS = 2;
  private static final int SLOTS = 128;

  /** After a turn, one task in so many is checked. */
  private static final int SAMPLE_EACH = 100;

  private static final Duration EMPTY_MAX = Duration.ofSeconds(10);

  private final String url;
  private int turns;

  /** In a database of its own, which is emptied after each turn. */
  ConvokeDispatchCandidate(String url) {
    this.url = url + "/1";
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DispatchTurn runTasks(Duration span) throws Exception {
    String turn = "t" + ++turns + "-";
    TaskProducers taskProducers = new TaskProducers();
    try (Redis redis = Redis.open(url);
        Redis far = Redis.open(url)) {
      TaskQueue taskQueue = new TaskQueue(redis, TERMS);
      DispatchTurn dispatchTurn = whileServed(taskQueue, far, turn, taskProducers, span);
      String _ = redis.call(commands -> commands.flushdb());
      return dispatchTurn;
    }
  }

  private static DispatchTurn whileServed(
      TaskQueue taskQueue, Redis far, String turn, TaskProducers taskProducers, Duration span)
      throws Exception {
    AtomicLong begun = new AtomicLong();
    Queue<String> taken = new ConcurrentLinkedQueue<>();
    List<Pod> pods = new ArrayList<>();
    try (DispatchService dispatchService = new DispatchService(taskQueue, DurableTaskStore.NONE);
        DispatchMaintainer _ = new DispatchMaintainer(taskQueue, DurableTaskStore.NONE, TERMS)) {
      for (int i = 0; i < PODS; i++) {
        pods.add(
            new Pod(
                far,
                new PodId(turn + "pod-" + i, REGION),
                SLOTS,
                PodCapacity.COUNT_ONLY,
                TERMS,
                run -> {
                  long _ = begun.incrementAndGet();
                  taskProducers.ended(1);
                  return new AttemptHandler.AttemptOutcome.AttemptDone();
                }));
      }
      DispatchTurn dispatchTurn =
          taskProducers.run(
              CALLERS,
              span,
              (caller, number) -> {
                String id = turn + caller + "-" + number;
                take(dispatchService, id, "c" + caller % CHANNELS);
                if (number % SAMPLE_EACH == 0) {
                  boolean _ = taken.add(id);
                }
                return 1;
              });
      // The last handler has returned; its outcome is reported a little later.
      Duration late = awaitTold(pods);
      verify(far, taskQueue, List.copyOf(taken), begun.get(), dispatchTurn.tasks());
      return new DispatchTurn(dispatchTurn.tasks(), dispatchTurn.span().plus(late));
    } finally {
      pods.forEach(Pod::close);
    }
  }

  static NewTask task(String id, String channel, String payload) {
    ObjectNode body = JSON.createObjectNode().put("payload", payload);
    return new NewTask(
        id, id, "noop", "start", channel, Optional.of(REGION), body, false, Optional.empty());
  }

  private static void take(DispatchService dispatchService, String id, String channel) {
    if (!(dispatchService.submit(task(id, channel, PAYLOAD)) instanceof EnqueueResult.Created)) {
      throw new IllegalStateException(id + " was not taken in");
    }
  }

  private static Duration awaitTold(List<Pod> pods) {
    long since = System.nanoTime();
    while (pods.stream().anyMatch(pod -> !pod.running().isEmpty())) {
      if (System.nanoTime() - since > EMPTY_MAX.toNanos()) {
        throw new IllegalStateException("an outcome was not reported");
      }
      LockSupport.parkNanos(100_000);
    }
    return Duration.ofNanos(System.nanoTime() - since);
  }

  /** Checks that no task waits, none ran twice, and the sampled ones succeeded. */
  private static void verify(
      Redis redis, TaskQueue taskQueue, List<String> some, long begun, long taken) {
    long left =
        Stream.of(REGION, KeySpace.GLOBAL + ":" + REGION)
            .mapToLong(lane -> redis.call(commands -> commands.zcard(KeySpace.ONE.queue(lane))))
            .sum();
    boolean well =
        taskQueue.find(some).stream()
            .allMatch(task -> task.isPresent() && task.get().state() == TaskState.SUCCESS);
    if (left > 0 || begun != taken || !well) {
      throw new IllegalStateException(
          "%d taken in, %d begun, %d left, all well: %b".formatted(taken, begun, left, well));
    }
  }

  @Override
  public void close() {}
}
