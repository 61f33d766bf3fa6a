package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Together;
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
import org.jspecify.annotations.Nullable;

/**
 * Tasks as Redis has them, for who gives them out and looks at them; {@link Pod} is for who runs
 * them. Every method is one call, {@link #enqueue} one for all that come at the same time, and
 * throws {@link RedisUnavailable} when Redis is away: whether the call was done is then unknown,
 * and it may be repeated. On a cluster it is one for each place that is asked.
 */
public final class Tasks {
  /** Tasks of one call, and calls on their way, where many are taken in at once. */
  private static final int TOGETHER_MAX = 64;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final Places places;
  private final Map<Functions, Together<Arrival, Optional<Enqueued>>> taking =
      new ConcurrentHashMap<>();

  /** The generations of places, as this process last heard of them. */
  private final Map<Functions, String> generations = new ConcurrentHashMap<>();

  public Tasks(Redis redis, DispatchTerms terms) {
    this.redis = redis;
    this.places = new Places(redis, terms);
  }

  /** Takes in a task; the same request again gets the same task. */
  public Enqueued enqueue(NewTask task) {
    return take(Arrival.of(task)).orElseThrow();
  }

  /**
   * The same; one per channel was the ledger's to say, whose index holds for all regions.
   *
   * @param generation of before the ledger accepted it
   * @return empty if that is over: somebody else takes in what the ledger knows, or has done so
   */
  Optional<Enqueued> enqueueLedgered(NewTask task, String generation) {
    Optional<Enqueued> taken = take(Arrival.ledgered(task, generation));
    if (taken.isEmpty()) {
      generations.remove(homeOf(task), generation);
    }
    return taken;
  }

  /**
   * The generation of the place that a task belongs to, as this process last heard of it. Asked
   * before the ledger accepts the task: in a later generation that is old news.
   */
  String generation(NewTask task) {
    Functions home = homeOf(task);
    @Nullable String known = generations.get(home);
    if (known == null) {
      // By each for itself: nobody waits behind others for a Redis that does not answer.
      known = ask(home);
      generations.put(home, known);
    }
    return known;
  }

  private Functions homeOf(NewTask task) {
    return places.home(Places.regionOf(task.region()));
  }

  private String ask(Functions at) {
    String key = at.place().generation();
    @Nullable String known = redis.call(key, commands -> commands.get(key));
    return known == null ? "" : known;
  }

  private Optional<Enqueued> take(Arrival arrival) {
    String region = Places.regionOf(arrival.task().region());
    // First, so that nothing waits where nobody looks.
    return places.join(region)
        ? taking.computeIfAbsent(places.home(region), this::taking).ask(arrival)
        : Optional.of(new Enqueued.QueueFull());
  }

  private Together<Arrival, Optional<Enqueued>> taking(Functions at) {
    return new Together<>(TOGETHER_MAX, CALLS_MAX, arrivals -> at.enqueue(arrivals).begin(redis));
  }

  /**
   * Takes in what the ledger knows; idempotent, as much of it as can be reached. The ledger is read
   * here, since what was read before a place was compared with it must not reach that place.
   *
   * @return false if some of it was not taken in for that reason
   */
  boolean takeIn(Supplier<List<OpenTask>> ledger) {
    Map<Functions, String> before = new HashMap<>();
    RedisUnavailable last = null;
    for (Functions at : places.known()) {
      try {
        before.put(at, ask(at));
      } catch (RedisUnavailable e) {
        last = e;
      }
    }
    boolean all = true;
    for (Map.Entry<Functions, List<OpenTask>> each : places.byHome(ledger.get()).entrySet()) {
      Functions at = each.getKey();
      try {
        // One region too many is tended all the same: its tasks were accepted.
        boolean _ = places.join(Places.regionOf(each.getValue().getFirst().region()));
        String generation = before.getOrDefault(at, "");
        all &= at.adopt(generation, each.getValue(), _ -> false).on(redis) >= 0;
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
  public Stopped stop(String id) {
    return stop(id, Duration.ZERO);
  }

  /**
   * The same; a wish about an unknown task is kept for so long, in case it is taken in just now.
   */
  Stopped stop(String id, Duration keep) {
    return everywhere(
        at -> at.stop(id, keep),
        (one, other) -> one.word() == Word.UNKNOWN ? other : one,
        stopped -> stopped.word() != Word.UNKNOWN);
  }

  /**
   * Has a pod take no task, or tasks again; it stays alive, and what it runs comes to its end.
   *
   * @return {@link Word#UNKNOWN} when no such pod lives
   * @throws RedisUnavailable when Redis is away
   */
  public Word drain(String pod, boolean drain) {
    return everywhere(
        at -> at.drain(pod, drain),
        (one, other) -> one == Word.UNKNOWN ? other : one,
        word -> word != Word.UNKNOWN);
  }

  /** The regions that have a task or a live pod, by name, and what the ledger has not heard. */
  public Survey survey() {
    List<CompletionStage<Look>> asked =
        places.learn().stream().map(at -> at.survey().begin(redis)).toList();
    return Look.survey(
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
      Function<Functions, Call<T>> call, BinaryOperator<T> both, Predicate<T> found) {
    if (!places.many()) {
      return call.apply(places.global()).on(redis);
    }
    List<Functions> known = places.known();
    Answers<T> answers = new Answers<>(both);
    answers.ask(known, call);
    if (!answers.satisfy(found)) {
      List<Functions> others = new ArrayList<>(places.learn());
      others.removeAll(known);
      answers.ask(others, call);
    }
    return answers.all(found);
  }

  /** What places have answered so far. */
  private final class Answers<T> {
    private final BinaryOperator<T> both;
    private @Nullable T sum;
    private @Nullable RedisUnavailable missing;

    private Answers(BinaryOperator<T> both) {
      this.both = both;
    }

    private void ask(List<Functions> some, Function<Functions, Call<T>> call) {
      List<CompletionStage<T>> asked =
          some.stream().map(at -> call.apply(at).begin(redis)).toList();
      for (CompletionStage<T> each : asked) {
        try {
          T answer = Redis.await(each.toCompletableFuture());
          sum = sum == null ? answer : both.apply(sum, answer);
        } catch (RedisUnavailable e) {
          missing = e;
        }
      }
    }

    private boolean satisfy(Predicate<T> found) {
      return sum != null && found.test(sum);
    }

    private T all(Predicate<T> found) {
      if (sum == null || (missing != null && !found.test(sum))) {
        throw missing == null ? new IllegalStateException("no place was asked") : missing;
      }
      return sum;
    }
  }

  Redis redis() {
    return redis;
  }

  Places places() {
    return places;
  }
}
