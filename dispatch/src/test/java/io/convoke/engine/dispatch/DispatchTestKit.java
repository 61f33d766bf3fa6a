package io.convoke.engine.dispatch;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.simulator.stores.LocalStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A key space on a real Redis, with a clock that the test advances. */
final class DispatchTestKit implements AutoCloseable {
  /** The default settings. */
  static final DispatchConfig CONFIG = DispatchConfig.seed();

  static final PodId EU = new PodId("pod-eu", "eu");
  static final PodId US = new PodId("pod-us", "us");
  static final Map<TaskScripts.Script, LuaScript> MANUAL_CLOCK =
      TaskScripts.load("local now = tonumber(redis.call('GET', KEYS[1] .. 'clock'))\n");
  private static final AtomicInteger PLACES = new AtomicInteger();
  private static final long START = 1_736_778_738_000L;

  final Redis redis = Redis.open(LocalStores.forTests().redis().url());
  final KeySpace keySpace = new KeySpace("test-" + PLACES.incrementAndGet() + ":");
  final TaskScripts scripts = new TaskScripts(MANUAL_CLOCK, keySpace, CONFIG);
  private final AtomicInteger ids = new AtomicInteger();
  private long now = START;

  DispatchTestKit() {
    pass(Duration.ZERO);
    becomeWhole();
  }

  void becomeWhole() {
    becomeWhole(redis, keySpace);
  }

  /** Marks a key space as compared with the database, as a maintainer does. */
  static void becomeWhole(Redis redis, KeySpace keySpace) {
    String _ = redis.call(commands -> commands.set(keySpace.generation(), "g"));
    String _ = redis.call(commands -> commands.set(keySpace.server(), redis.runId()));
  }

  /** Advances the clock. */
  void pass(Duration time) {
    now += time.toMillis();
    String _ =
        redis.call(commands -> commands.set(keySpace.prefix() + "clock", Long.toString(now)));
  }

  <T> T run(ScriptCall<T> scriptCall) {
    return scriptCall.on(redis);
  }

  String enqueue(String region, String channel) {
    String id = "t" + ids.incrementAndGet();
    EnqueueResult _ = run(scripts.enqueue(task(id, region, channel)));
    return id;
  }

  Task task(String id) {
    return run(scripts.find(List.of(id))).getFirst().orElseThrow();
  }

  /** Claims for so many slots, from 0, of a pod with ten. */
  List<Task> claim(PodId pod, int slots) {
    return run(scripts.claim(
            pod, 10, IntStream.range(0, slots).boxed().toList(), PodCapacity.COUNT_ONLY, 1))
        .tasks();
  }

  /** Claims the only pending task. */
  TaskLeaseRef claimOne(PodId pod) {
    Task task = claim(pod, 1).getFirst();
    return new TaskLeaseRef(task.id(), task.fence());
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
        .map(
            taskTransition ->
                taskTransition.id() + " " + taskTransition.state() + " " + taskTransition.attempt())
        .toList();
  }

  /** The entries of the outbox. */
  List<TaskTransition> moves() {
    return redis
        .call(commands -> commands.xrange(keySpace.outbox(), io.lettuce.core.Range.unbounded()))
        .stream()
        .flatMap(entry -> TaskTransition.of(entry.getBody()).stream())
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

  /** The same with another type. */
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

  static PodCapacity capacity(double whole, Map<String, Double> costs) {
    return new PodCapacity(whole, costs, OptionalDouble.empty());
  }

  @Override
  public void close() {
    redis.close();
  }
}
