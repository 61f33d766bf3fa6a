package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.RequestBatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues, finds and stops tasks in Redis; {@link Pod} runs them. Each method is one script call,
 * on a cluster one for each key space; concurrent {@link #enqueue} calls share one. All throw
 * {@link RedisUnavailable} when Redis is unreachable: it is then unknown whether Redis executed the
 * call, and the call may be repeated.
 */
public final class TaskQueue {
  /** Tasks of one batch, and concurrent batches. */
  private static final int BATCH_MAX = 64;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final KeySpaceDirectory keySpaceDirectory;
  private final Map<TaskScripts, RequestBatcher<EnqueueRequest, Optional<EnqueueResult>>> batchers =
      new ConcurrentHashMap<>();

  /** Last known generations of key spaces. */
  private final Map<TaskScripts, String> generations = new ConcurrentHashMap<>();

  public TaskQueue(Redis redis, DispatchConfig config) {
    this.redis = redis;
    this.keySpaceDirectory = new KeySpaceDirectory(redis, config);
  }

  /** Enqueues a task; idempotent by request. */
  public EnqueueResult enqueue(NewTask task) {
    return submit(EnqueueRequest.of(task)).orElseThrow();
  }

  /**
   * Enqueues a task that the database accepted; the database enforces the limit of its channel.
   *
   * @param generation read before the database accepted the task
   * @return empty if the generation is over: the rebuild has enqueued the task from the database
   */
  Optional<EnqueueResult> enqueueAccepted(NewTask task, String generation) {
    Optional<EnqueueResult> result = submit(EnqueueRequest.accepted(task, generation));
    if (result.isEmpty()) {
      generations.remove(homeOf(task), generation);
    }
    return result;
  }

  /**
   * The last known generation of the task's key space; empty if {@link #enqueueAccepted} refuses
   * the task because there are too many regions. Read it before the database accepts the task, so
   * that Redis refuses the task in a later generation.
   */
  String generation(NewTask task) {
    if (!keySpaceDirectory.register(KeySpaceDirectory.regionOf(task.region()))) {
      // Nothing is kept here for the key space of such a region, since users choose the names.
      return "";
    }
    TaskScripts home = homeOf(task);
    @Nullable String known = generations.get(home);
    if (known == null) {
      // Not shared, so that no caller waits behind another one's unanswered request.
      known = ask(home);
      generations.put(home, known);
    }
    return known;
  }

  private TaskScripts homeOf(NewTask task) {
    return keySpaceDirectory.home(KeySpaceDirectory.regionOf(task.region()));
  }

  private String ask(TaskScripts at) {
    String key = at.keySpace().generation();
    @Nullable String known = redis.call(key, commands -> commands.get(key));
    return known == null ? "" : known;
  }

  private Optional<EnqueueResult> submit(EnqueueRequest request) {
    String region = KeySpaceDirectory.regionOf(request.task().region());
    // Register first, so that a maintainer runs for the key space before a task waits in it.
    return keySpaceDirectory.register(region)
        ? batchers.computeIfAbsent(keySpaceDirectory.home(region), this::batcher).submit(request)
        : Optional.of(new EnqueueResult.QueueFull());
  }

  private RequestBatcher<EnqueueRequest, Optional<EnqueueResult>> batcher(TaskScripts at) {
    return new RequestBatcher<>(
        BATCH_MAX, CALLS_MAX, requests -> at.enqueue(requests).begin(redis));
  }

  /**
   * Adds open tasks to Redis where it lacks them; idempotent. Skips unreachable key spaces. The
   * tasks are read here, after the generations: a key space refuses tasks that were read before its
   * last comparison, and while it was not compared.
   *
   * @return false if a key space refused its tasks for that reason
   * @throws RedisUnavailable after all others, if a key space was unreachable
   */
  boolean restore(Supplier<List<OpenTask>> openTasks) {
    Map<TaskScripts, String> before = new HashMap<>();
    RedisUnavailable last = null;
    for (TaskScripts at : keySpaceDirectory.known()) {
      try {
        before.put(at, ask(at));
      } catch (RedisUnavailable e) {
        last = e;
      }
    }
    boolean all = true;
    for (Map.Entry<TaskScripts, List<OpenTask>> each :
        keySpaceDirectory.byHome(openTasks.get()).entrySet()) {
      TaskScripts at = each.getKey();
      try {
        // These tasks were accepted: without a maintainer of their key space they would never end.
        keySpaceDirectory.registerAlways(
            KeySpaceDirectory.regionOf(each.getValue().getFirst().region()));
        String generation = before.getOrDefault(at, "");
        all &= at.restore(generation, each.getValue(), _ -> false).on(redis) >= 0;
      } catch (RedisUnavailable e) {
        last = e;
      }
    }
    if (last != null) {
      throw last;
    }
    return all;
  }

  /** The task; Redis keeps it until 48 h after its end. */
  public Optional<Task> find(String id) {
    return find(List.of(id)).getFirst();
  }

  public List<Optional<Task>> find(List<String> ids) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return everywhere(
        at -> at.find(ids),
        (one, other) ->
            IntStream.range(0, ids.size())
                .mapToObj(i -> one.get(i).or(() -> other.get(i)))
                .toList(),
        found -> found.stream().allMatch(Optional::isPresent));
  }

  /** Stops a task: it ends now if it is pending; its pod receives the request if it runs. */
  public StopResult stop(String id) {
    return stop(id, Duration.ZERO);
  }

  /**
   * The same; keeps a request for an unknown task for a while, since the task may be on its way.
   */
  StopResult stop(String id, Duration keep) {
    return everywhere(
        at -> at.stop(id, keep),
        (one, other) -> one.result() == TransitionResult.UNKNOWN ? other : one,
        stopResult -> stopResult.result() != TransitionResult.UNKNOWN);
  }

  /**
   * Drains a pod or lets it claim again; running tasks go on.
   *
   * @return {@link TransitionResult#UNKNOWN} if the pod is not alive
   * @throws RedisUnavailable when Redis is unreachable
   */
  public TransitionResult drain(String pod, boolean drain) {
    return everywhere(
        at -> at.drain(pod, drain),
        (one, other) -> one == TransitionResult.UNKNOWN ? other : one,
        transitionResult -> transitionResult != TransitionResult.UNKNOWN);
  }

  /** Statistics of the regions with tasks or live pods. */
  public DispatchStats stats() {
    List<CompletionStage<KeySpaceStats>> asked =
        keySpaceDirectory.refresh().stream().map(at -> at.stats().begin(redis)).toList();
    return KeySpaceStats.total(
        asked.stream().map(look -> Redis.await(look.toCompletableFuture())).toList());
  }

  /**
   * Calls all key spaces at once and merges their results, because a task may be in any of them. If
   * no known key space has it, refreshes the directory and asks new ones.
   *
   * @throws RedisUnavailable if no key space has it and one was unreachable
   */
  private <T> T everywhere(
      Function<TaskScripts, ScriptCall<T>> call, BinaryOperator<T> merge, Predicate<T> found) {
    List<RedisUnavailable> failures = new ArrayList<>();
    List<TaskScripts> known = keySpaceDirectory.known();
    Optional<T> merged = ask(known, call, failures).stream().reduce(merge);
    if (keySpaceDirectory.many() && merged.filter(found).isEmpty()) {
      List<TaskScripts> others = new ArrayList<>(keySpaceDirectory.refresh());
      others.removeAll(known);
      merged = Stream.concat(merged.stream(), ask(others, call, failures).stream()).reduce(merge);
    }
    if (!failures.isEmpty() && merged.filter(found).isEmpty()) {
      throw failures.getLast();
    }
    return merged.orElseThrow();
  }

  private <T> List<T> ask(
      List<TaskScripts> keySpaces,
      Function<TaskScripts, ScriptCall<T>> call,
      List<RedisUnavailable> failures) {
    List<CompletionStage<T>> sent =
        keySpaces.stream().map(at -> call.apply(at).begin(redis)).toList();
    List<T> results = new ArrayList<>();
    for (CompletionStage<T> each : sent) {
      try {
        results.add(Redis.await(each.toCompletableFuture()));
      } catch (RedisUnavailable e) {
        failures.add(e);
      }
    }
    return results;
  }

  Redis redis() {
    return redis;
  }

  KeySpaceDirectory keySpaces() {
    return keySpaceDirectory;
  }
}
