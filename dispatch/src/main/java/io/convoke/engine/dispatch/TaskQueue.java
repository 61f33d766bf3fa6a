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
 * Tasks as Redis has them, for who gives them out and looks at them; {@link Pod} is for who runs
 * them. Every method is one call, {@link #enqueue} one for all that come at the same time, and
 * throws {@link RedisUnavailable} when Redis is away: whether the call was done is then unknown,
 * and it may be repeated. On a cluster it is one for each place that is asked.
 */
public final class TaskQueue {
  /** Tasks of one call, and calls on their way, where many are taken in at once. */
  private static final int BATCH_MAX = 64;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final KeySpaceDirectory keySpaceDirectory;
  private final Map<TaskScripts, RequestBatcher<EnqueueRequest, Optional<EnqueueResult>>> batchers =
      new ConcurrentHashMap<>();

  /** The generations of places, as this process last heard of them. */
  private final Map<TaskScripts, String> generations = new ConcurrentHashMap<>();

  public TaskQueue(Redis redis, DispatchConfig config) {
    this.redis = redis;
    this.keySpaceDirectory = new KeySpaceDirectory(redis, config);
  }

  /** Takes in a task; the same request again gets the same task. */
  public EnqueueResult enqueue(NewTask task) {
    return submit(EnqueueRequest.of(task)).orElseThrow();
  }

  /**
   * The same; one per channel was the ledger's to say, whose index holds for all regions.
   *
   * @param generation of before the ledger accepted it
   * @return empty if that is over: somebody else takes in what the ledger knows, or has done so
   */
  Optional<EnqueueResult> enqueueAccepted(NewTask task, String generation) {
    Optional<EnqueueResult> result = submit(EnqueueRequest.accepted(task, generation));
    if (result.isEmpty()) {
      generations.remove(homeOf(task), generation);
    }
    return result;
  }

  /**
   * The generation of the place that a task belongs to, as this process last heard of it. Asked
   * before the ledger accepts the task: in a later generation that is old news.
   */
  String generation(NewTask task) {
    TaskScripts home = homeOf(task);
    @Nullable String known = generations.get(home);
    if (known == null) {
      // By each for itself: nobody waits behind others for a Redis that does not answer.
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
   * Takes in what the ledger knows; idempotent, as much of it as can be reached. The ledger is read
   * here, since what was read before a place was compared with it must not reach that place.
   *
   * @return false if some of it was not taken in for that reason
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
        // One region too many is tended all the same: its tasks were accepted.
        boolean _ =
            keySpaceDirectory.register(
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

  /** The task as it stands; it is known until 48 h after its end. */
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

  /** Wants a task to stop, for good: it ends now if it waits, and is told to if it runs. */
  public StopResult stop(String id) {
    return stop(id, Duration.ZERO);
  }

  /**
   * The same; a wish about an unknown task is kept for so long, in case it is taken in just now.
   */
  StopResult stop(String id, Duration keep) {
    return everywhere(
        at -> at.stop(id, keep),
        (one, other) -> one.result() == TransitionResult.UNKNOWN ? other : one,
        stopResult -> stopResult.result() != TransitionResult.UNKNOWN);
  }

  /**
   * Has a pod take no task, or tasks again; it stays alive, and what it runs comes to its end.
   *
   * @return {@link TransitionResult#UNKNOWN} when no such pod lives
   * @throws RedisUnavailable when Redis is away
   */
  public TransitionResult drain(String pod, boolean drain) {
    return everywhere(
        at -> at.drain(pod, drain),
        (one, other) -> one == TransitionResult.UNKNOWN ? other : one,
        transitionResult -> transitionResult != TransitionResult.UNKNOWN);
  }

  /** The regions that have a task or a live pod, by name, and what the ledger has not heard. */
  public DispatchStats stats() {
    List<CompletionStage<KeySpaceStats>> asked =
        keySpaceDirectory.refresh().stream().map(at -> at.stats().begin(redis)).toList();
    return KeySpaceStats.total(
        asked.stream().map(look -> Redis.await(look.toCompletableFuture())).toList());
  }

  /**
   * Asks all places at once and puts their answers together: nobody else knows where a task is.
   * Only when nobody has it is the directory asked whether there is a place that this process has
   * not heard of.
   *
   * @throws RedisUnavailable when it was not found and not everybody could be asked
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
