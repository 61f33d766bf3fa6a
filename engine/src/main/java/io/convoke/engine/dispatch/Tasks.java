package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Together;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Tasks as Redis has them, for who gives them out and looks at them; {@link Pod} is for who runs
 * them. Every method is one call, {@link #enqueue} one for all that come at the same time, and
 * throws {@link RedisUnavailable} when Redis is away: whether the call was done is then unknown,
 * and it may be repeated.
 */
public final class Tasks {
  /** Tasks of one call, and calls on their way, where many are taken in at once. */
  private static final int TOGETHER_MAX = 64;

  private static final int CALLS_MAX = 2;

  private final Redis redis;
  private final Functions functions;
  private final Together<Arrival, Enqueued> taking;

  public Tasks(Redis redis, DispatchTerms terms) {
    this.redis = redis;
    this.functions = new Functions(Scripts.LIVE, Place.ONE, terms);
    this.taking =
        new Together<>(
            TOGETHER_MAX, CALLS_MAX, arrivals -> functions.enqueue(arrivals).begin(redis));
  }

  /** Takes in a task; the same request again gets the same task. */
  public Enqueued enqueue(NewTask task) {
    return taking.ask(Arrival.of(task));
  }

  /** The same; one per channel was the ledger's to say, whose index holds for all regions. */
  Enqueued enqueueLedgered(NewTask task) {
    return taking.ask(Arrival.ledgered(task));
  }

  /** The task as it stands; it is known until 48 h after its end. */
  public Optional<Task> find(String id) {
    return find(List.of(id)).getFirst();
  }

  public List<Optional<Task>> find(List<String> ids) {
    return ids.isEmpty() ? List.of() : functions.find(ids).on(redis);
  }

  /** Wants a task to stop, for good: it ends now if it waits, and is told to if it runs. */
  public Stopped stop(String id) {
    return stop(id, Duration.ZERO);
  }

  /**
   * The same; a wish about an unknown task is kept for so long, in case it is taken in just now.
   */
  Stopped stop(String id, Duration keep) {
    return functions.stop(id, keep).on(redis);
  }

  /** The regions that have a task or a live pod, by name, and what the ledger has not heard. */
  public Survey survey() {
    return functions.survey().on(redis);
  }

  Redis redis() {
    return redis;
  }

  Functions functions() {
    return functions;
  }
}
