package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.Redis;
import io.convoke.lab.stores.Stores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A place of its own on a real Redis, with a clock that stands still until the test moves it. */
final class Kit implements AutoCloseable {
  /** Seed 004's numbers. */
  static final DispatchTerms TERMS = DispatchTerms.seed();

  static final PodName EU = new PodName("pod-eu", "eu");
  static final PodName US = new PodName("pod-us", "us");
  static final Scripts BY_HAND =
      Scripts.with("local now = tonumber(redis.call('GET', KEYS[1] .. 'clock'))\n");
  private static final AtomicInteger PLACES = new AtomicInteger();
  private static final long START = 1_736_778_738_000L;

  final Redis redis = Redis.open(Stores.forTests().redis().url());
  final Place place = new Place("test-" + PLACES.incrementAndGet() + ":");
  final Functions functions = new Functions(BY_HAND, place, TERMS);
  private final AtomicInteger ids = new AtomicInteger();
  private long now = START;

  Kit() {
    pass(Duration.ZERO);
    becomeWhole();
  }

  void becomeWhole() {
    becomeWhole(redis, place);
  }

  /** Has a place count as compared with the ledger, as it does once a tender was there. */
  static void becomeWhole(Redis redis, Place place) {
    String _ = redis.call(commands -> commands.set(place.generation(), "g"));
    String _ = redis.call(commands -> commands.set(place.server(), redis.runId()));
  }

  /** Time goes on. */
  void pass(Duration time) {
    now += time.toMillis();
    String _ = redis.call(commands -> commands.set(place.prefix() + "clock", Long.toString(now)));
  }

  <T> T run(Call<T> call) {
    return call.on(redis);
  }

  String enqueue(String region, String channel) {
    String id = "t" + ids.incrementAndGet();
    Enqueued _ = run(functions.enqueue(task(id, region, channel)));
    return id;
  }

  Task task(String id) {
    return run(functions.find(List.of(id))).getFirst().orElseThrow();
  }

  /** Claims for so many slots, from 0, of a pod that has ten. */
  List<Task> claim(PodName pod, int slots) {
    return run(functions.claim(
            pod, 10, IntStream.range(0, slots).boxed().toList(), Capacity.COUNT_ONLY, 1))
        .tasks();
  }

  /** Claims the one task that waits. */
  Held claimOne(PodName pod) {
    Task task = claim(pod, 1).getFirst();
    return new Held(task.id(), task.fence());
  }

  long length(String list) {
    return redis.call(commands -> commands.llen(list));
  }

  long size(String sortedSet) {
    return redis.call(commands -> commands.zcard(sortedSet));
  }

  long ttl(String name) {
    return redis.call(commands -> commands.ttl(name));
  }

  String pop(String list) {
    return redis.call(commands -> commands.lpop(list));
  }

  List<String> outbox() {
    return moves().stream()
        .map(move -> move.id() + " " + move.state() + " " + move.attempt())
        .toList();
  }

  /** What the outbox tells. */
  List<Move> moves() {
    return redis
        .call(commands -> commands.xrange(place.outbox(), io.lettuce.core.Range.unbounded()))
        .stream()
        .flatMap(entry -> Move.of(entry.getBody()).stream())
        .toList();
  }

  static NewTask task(String id, String region, String channel) {
    return new NewTask(
        id,
        "req-" + id,
        "snapshot",
        "start",
        channel,
        Optional.of(region).filter(name -> !name.isEmpty()),
        Json.mapper().createObjectNode().put("access_token", "secret").put("workerUid", 42),
        false,
        Optional.empty());
  }

  static NewTask unique(String id, String channel) {
    NewTask task = task(id, "eu", channel);
    return new NewTask(
        id,
        task.requestId(),
        task.type(),
        task.action(),
        channel,
        task.region(),
        task.payload(),
        true,
        Optional.empty());
  }

  static NewTask typed(String id, String type) {
    return ofType(type, task(id, "eu", id));
  }

  /** The same of another type. */
  static NewTask ofType(String type, NewTask task) {
    return new NewTask(
        task.id(),
        task.requestId(),
        type,
        task.action(),
        task.channel(),
        task.region(),
        task.payload(),
        task.unique(),
        task.userId());
  }

  static Capacity capacity(double whole, Map<String, Double> costs) {
    return new Capacity(whole, costs, OptionalDouble.empty());
  }

  @Override
  public void close() {
    redis.close();
  }
}
