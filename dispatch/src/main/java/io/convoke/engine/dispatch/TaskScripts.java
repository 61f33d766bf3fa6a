package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The Lua scripts of dispatch with their arguments and results, for one key space. Each method
 * returns a {@link ScriptCall} that the caller runs and waits for, or pipelines.
 *
 * <p>They are scripts and not {@code FUNCTION}s: the client sends a script again to a server that
 * lacks it, no node of a cluster needs loading, and Redis 6.2 runs them.
 */
final class TaskScripts {
  /** Every script; the file has the name of the constant. */
  enum Script {
    ALLOT,
    CLAIM(true),
    COMPLETE(true),
    DRAIN,
    ENQUEUE,
    EXPIRE,
    FAIL(true),
    FIND,
    INVALIDATE,
    MARK_RESTORED,
    OVERFLOW,
    RECLAIM(true),
    REGISTER,
    RENEW(true),
    RESTORE(true),
    RETRY(true),
    SETTLE,
    STATS,
    STOP,
    TICK(true),
    UNREGISTER,
    WAKEUP;

    private final boolean takesRunId;

    Script() {
      this(false);
    }

    Script(boolean takesRunId) {
      this.takesRunId = takesRunId;
    }

    private LuaScript load(String prelude) {
      String file = name().toLowerCase(Locale.ROOT) + ".lua";
      LuaScript script =
          LuaScript.of(file, prelude + LuaScript.resource(TaskScripts.class, file).source());
      return takesRunId ? script.withServerRunId() : script;
    }
  }

  private static final Map<Script, LuaScript> BY_REDIS_CLOCK =
      load(LuaScript.resource(TaskScripts.class, "clock.lua").source());

  private final Map<Script, LuaScript> scripts;
  private final KeySpace keySpace;
  private final DispatchConfig config;

  TaskScripts(KeySpace keySpace, DispatchConfig config) {
    this(BY_REDIS_CLOCK, keySpace, config);
  }

  /** For tests with a clock of their own, see {@link #load}. */
  TaskScripts(Map<Script, LuaScript> scripts, KeySpace keySpace, DispatchConfig config) {
    this.scripts = scripts;
    this.keySpace = keySpace;
    this.config = config;
  }

  /**
   * All scripts with a clock.
   *
   * @param clock Lua source that defines {@code now} in ms
   */
  static Map<Script, LuaScript> load(String clock) {
    String prelude = clock + LuaScript.resource(TaskScripts.class, "task.lua").source();
    Map<Script, LuaScript> scripts = new EnumMap<>(Script.class);
    for (Script script : Script.values()) {
      scripts.put(script, script.load(prelude));
    }
    return scripts;
  }

  KeySpace keySpace() {
    return keySpace;
  }

  ScriptCall<EnqueueResult> enqueue(NewTask task) {
    return enqueue(List.of(EnqueueRequest.of(task)))
        .map(results -> results.getFirst().orElseThrow());
  }

  /** Adds many tasks; a result is empty if the key space is in another generation than its task. */
  ScriptCall<List<Optional<EnqueueResult>>> enqueue(List<EnqueueRequest> requests) {
    List<String> args = new ArrayList<>(8 * requests.size() + 2);
    for (EnqueueRequest request : requests) {
      NewTask task = request.task();
      args.add(task.id());
      args.add(task.ownRequest());
      args.add(task.region().orElse(""));
      args.add(task.ownChannel());
      args.add(task.type());
      args.add(request.alone() ? "channel" : "");
      args.add(TaskSpecCodec.kept(task.id(), request.json()));
      args.add(request.generation());
    }
    return call(
        Script.ENQUEUE,
        reply ->
            IntStream.range(0, requests.size())
                .mapToObj(i -> enqueued(requests.get(i), reply.getFirst(), reply.get(i + 1)))
                .toList(),
        args,
        config.taskTimeout(),
        config.queueMax());
  }

  /** A number alone is an added task; all else is a list, so that the usual reply is short. */
  private static Optional<EnqueueResult> enqueued(
      EnqueueRequest request, Object time, Object answer) {
    if (!(answer instanceof List<?> reply)) {
      return Optional.of(
          new EnqueueResult.Created(Task.pending(request, Instant.ofEpochMilli((Long) time))));
    }
    return switch (Math.toIntExact((Long) reply.getFirst())) {
      case 1 -> Optional.of(new EnqueueResult.Created(task(reply.get(2))));
      case 0 -> Optional.of(new EnqueueResult.AlreadyEnqueued(task(reply.get(2))));
      case -1 -> Optional.of(new EnqueueResult.IdTaken());
      case -2 -> Optional.of(new EnqueueResult.ChannelBusy((String) reply.get(1)));
      case -3 -> Optional.of(new EnqueueResult.QueueFull());
      default -> Optional.empty();
    };
  }

  /** Claims tasks for free slots: from the pod's own region, then from the global queues. */
  ScriptCall<ClaimResult> claim(
      PodId pod, int slots, List<Integer> free, PodCapacity capacity, double left) {
    return claim(pod, slots, free, capacity, left, pod.region(), KeySpace.GLOBAL);
  }

  /**
   * Claims tasks from one line first: that of a region, {@link KeySpace#GLOBAL}, or an overflow
   * queue.
   *
   * @param left free capacity of the pod
   * @param others {@link KeySpace#GLOBAL} to claim from the global queues of this key space too, or
   *     empty
   */
  ScriptCall<ClaimResult> claim(
      PodId pod,
      int slots,
      List<Integer> free,
      PodCapacity capacity,
      double left,
      String lane,
      String others) {
    List<Object> costs = new ArrayList<>();
    capacity.costs().forEach((type, cost) -> costs.addAll(List.of(type, millionths(cost))));
    return call(
        Script.CLAIM,
        reply -> ClaimResult.read(pod, reply),
        pod.id(),
        pod.region(),
        config.lease(),
        config.silence(),
        config.parked(),
        lane,
        others,
        slots,
        millionths(left),
        millionths(capacity.whole()),
        millionths(capacity.other().orElse(-1)),
        free.size(),
        free,
        costs);
  }

  /** Whole numbers: of 0.3 units, less than 0.1 would be left beside a task that costs 0.2. */
  private static long millionths(double units) {
    return Math.round(units * 1e6);
  }

  /** Renews the leases of the tasks that a pod holds. */
  ScriptCall<RenewResult> renew(
      PodId pod, int slots, int free, RenewResult.DrainSetting setting, List<TaskLeaseRef> held) {
    return call(
        Script.RENEW,
        reply ->
            new RenewResult(
                new RenewResult.DrainSetting(
                    reply.getFirst().equals(1L), ((Number) reply.get(1)).longValue()),
                ((List<?>) reply.get(2))
                    .stream().map(String.class::cast).collect(Collectors.toSet()),
                ((List<?>) reply.get(3)).stream().map(TransitionResult::of).toList()),
        pod.id(),
        pod.region(),
        config.lease(),
        config.silence(),
        config.parked(),
        slots,
        free,
        wish(setting.drain()),
        setting.number(),
        leases(held));
  }

  ScriptCall<TransitionResult> complete(String pod, TaskLeaseRef lease) {
    return complete(pod, List.of(lease)).map(List::getFirst);
  }

  ScriptCall<List<TransitionResult>> complete(String pod, List<TaskLeaseRef> held) {
    return call(
        Script.COMPLETE,
        reply -> reply.stream().map(TransitionResult::of).toList(),
        pod,
        leases(held));
  }

  ScriptCall<TransitionResult> fail(String pod, TaskLeaseRef lease, String reason) {
    return transition(Script.FAIL, lease.id(), pod, lease.fence(), reason);
  }

  /** The attempt failed; the task is retried after its backoff. */
  ScriptCall<TransitionResult> tryAgain(String pod, TaskLeaseRef lease, String reason) {
    RetryBackoff retry = config.retry();
    return retry(pod, lease, reason, retry.base(), retry.max(), RetryBackoff.jitter());
  }

  /** The pod returns the task without a failure; another pod may claim it at once. */
  ScriptCall<TransitionResult> handBack(String pod, TaskLeaseRef lease, String reason) {
    return retry(pod, lease, reason, "", "", "");
  }

  private ScriptCall<TransitionResult> retry(
      String pod, TaskLeaseRef lease, String reason, Object base, Object max, Object jitter) {
    return transition(
        Script.RETRY,
        lease.id(),
        pod,
        lease.fence(),
        reason,
        config.maxAttempts(),
        config.lease(),
        base,
        max,
        jitter);
  }

  /**
   * Stops a task; the request for an unknown task is kept for a while, since it may be on its way.
   */
  ScriptCall<StopResult> stop(String id, Duration keep) {
    return call(
        Script.STOP,
        reply -> {
          TransitionResult result = TransitionResult.of(reply.getFirst());
          return new StopResult(
              result,
              result == TransitionResult.UNKNOWN
                  ? Optional.empty()
                  : Task.read((List<?>) reply.get(1)));
        },
        id,
        keep.toSeconds());
  }

  ScriptCall<SweepResult> expire(int most) {
    return call(Script.EXPIRE, SweepResult::of, most);
  }

  ScriptCall<SweepResult> reclaim(int most) {
    return call(
        Script.RECLAIM,
        SweepResult::of,
        most,
        config.maxAttempts(),
        config.lease(),
        config.deadAfter());
  }

  ScriptCall<SweepResult> overflow(int most) {
    return call(Script.OVERFLOW, SweepResult::of, most, config.overflowAfter());
  }

  ScriptCall<TickResult> tick() {
    return call(Script.TICK, TickResult::of, config.tick());
  }

  /**
   * Registers the key spaces of regions; returns all registered regions.
   *
   * @param most how many regions there may be; further ones are not added
   */
  ScriptCall<Set<String>> register(List<String> regions, int most) {
    return call(
        Script.REGISTER,
        reply -> reply.stream().map(String.class::cast).collect(Collectors.toSet()),
        most,
        regions);
  }

  /** Allots turns of the global queues for so many slots. */
  ScriptCall<List<LaneAllotment>> allot(int slots) {
    return call(Script.ALLOT, LaneAllotment::of, slots);
  }

  /**
   * Updates which lines have tasks; returns how many are in the rotation.
   *
   * @param wake whether to wake a pod that takes all types, and one for each of these types
   */
  ScriptCall<Integer> wakeup(boolean wake, Set<String> types, Map<String, Boolean> lanes) {
    List<Object> hints = new ArrayList<>();
    lanes.forEach((lane, hasTasks) -> hints.addAll(List.of(lane, hasTasks)));
    return count(Script.WAKEUP, wake, String.join(",", types), hints);
  }

  /** Removes a pod that shuts down; returns how many tasks it still holds. */
  ScriptCall<Integer> unregister(PodId pod, Duration grace) {
    return count(Script.UNREGISTER, pod.id(), pod.region(), grace);
  }

  /** Sets whether a pod takes tasks, in its home key space and in each one where it claims. */
  ScriptCall<TransitionResult> drain(String pod, boolean drain) {
    return transition(Script.DRAIN, pod, wish(drain));
  }

  private static String wish(boolean drain) {
    return drain ? "drain" : "take";
  }

  ScriptCall<List<Optional<Task>>> find(List<String> ids) {
    return call(
        Script.FIND, reply -> reply.stream().map(each -> Task.read((List<?>) each)).toList(), ids);
  }

  ScriptCall<KeySpaceStats> stats() {
    return call(Script.STATS, reply -> KeySpaceStats.of(keySpace, reply));
  }

  /**
   * Adds open tasks that this key space lacks; returns how many, or -1 if the tasks were read from
   * the database before the key space was last compared with it.
   *
   * @param read the generation, or the token of the rebuild, in which the tasks were read
   * @param forgotten which of them Redis may have assigned to a pod and lost
   */
  ScriptCall<Integer> restore(String read, List<OpenTask> tasks, Predicate<OpenTask> forgotten) {
    List<String> args = new ArrayList<>();
    tasks.forEach(open -> args.addAll(open.arguments(config, forgotten.test(open))));
    return count(Script.RESTORE, read, tasks.size(), config.lease(), args);
  }

  /** Ends tasks that ended in the database; returns how many of them were open in Redis. */
  ScriptCall<Integer> settle(List<EndedTask> tasks) {
    return count(
        Script.SETTLE,
        tasks.stream()
            .flatMap(
                task -> List.of(task.id(), task.state(), task.attempt(), task.error()).stream())
            .toList());
  }

  /** Marks the key space as restored; returns 0 if it was emptied meanwhile. */
  ScriptCall<Integer> markRestored(String token, String generation, String runId) {
    return count(
        Script.MARK_RESTORED, token, generation, runId, config.lease(), config.reporting());
  }

  /** Deletes an unknown generation; returns 0 if another one, or a rebuild, has replaced it. */
  ScriptCall<Integer> invalidate(RebuildEpoch epoch) {
    return count(Script.INVALIDATE, epoch.id());
  }

  private ScriptCall<TransitionResult> transition(Script script, Object... args) {
    return call(script, reply -> TransitionResult.of(reply.getFirst()), args);
  }

  private ScriptCall<Integer> count(Script script, Object... args) {
    return call(script, reply -> Math.toIntExact((Long) reply.getFirst()), args);
  }

  private <T> ScriptCall<T> call(Script script, Function<List<?>, T> reading, Object... args) {
    List<String> texts = new ArrayList<>();
    Arrays.asList(args).forEach(arg -> addTexts(texts, arg));
    return new ScriptCall<>(Objects.requireNonNull(scripts.get(script)), keySpace, texts, reading);
  }

  /** Durations in ms, booleans as 1 and 0, collections and optionals element by element. */
  private static void addTexts(List<String> texts, Object arg) {
    switch (arg) {
      case Collection<?> many -> many.forEach(each -> addTexts(texts, each));
      case Optional<?> maybe -> addTexts(texts, maybe.isPresent() ? maybe.get() : "");
      case Duration duration -> texts.add(millis(duration));
      case Boolean flag -> texts.add(flag ? "1" : "0");
      default -> texts.add(arg.toString());
    }
  }

  private static List<String> leases(List<TaskLeaseRef> held) {
    List<String> args = new ArrayList<>(2 * held.size());
    for (TaskLeaseRef lease : held) {
      args.add(lease.id());
      args.add(lease.fence());
    }
    return args;
  }

  private static Task task(Object fields) {
    return Task.read((List<?>) fields).orElseThrow();
  }

  static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
