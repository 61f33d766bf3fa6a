package io.convoke.engine.lease;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.RequestBatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis side of leases: scripts acquire, extend and delete locks, one call for many threads. On
 * a cluster a call holds the locks of one slot, and the calls for different slots travel together;
 * there each slot counts its own epochs. A deletion that failed is repeated when Redis is back,
 * because a lock without a holder would otherwise block all claimants until it expires.
 */
final class RedisLeaseStore {
  private static final Logger log = LoggerFactory.getLogger(RedisLeaseStore.class);
  private static final int OWED_MAX = 10_000;
  private static final int BATCH_MAX = 500;

  /** Locks of one call, and calls on their way, where many are taken or given back at once. */
  private static final int TOGETHER_MAX = 128;

  private static final int CALLS_MAX = 2;
  private static final LuaScript ACQUIRE = LuaScript.resource(LeaseRenewer.class, "acquire.lua");
  private static final LuaScript RENEW = LuaScript.resource(LeaseRenewer.class, "renew.lua");
  private static final LuaScript RELEASE = LuaScript.resource(LeaseRenewer.class, "release.lua");

  /** A requested or held lock. */
  private record LeaseRequest(String key, String token, Duration timeout) {}

  private final Redis redis;

  /** By slot; one where Redis is no cluster. */
  private final Map<Integer, SlotLeases> gates = new ConcurrentHashMap<>();

  /** Where the locks of a slot are taken and given back. */
  private record SlotLeases(
      RequestBatcher<LeaseRequest, Long> acquiring,
      RequestBatcher<LeaseRequest, Boolean> releasing) {}

  /** Tokens of locks to delete with their keys, oldest first; guarded by itself. */
  private final Map<String, String> owed =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > OWED_MAX;
        }
      };

  RedisLeaseStore(Redis redis) {
    this.redis = redis;
    redis.onConnect(this::pay);
  }

  private SlotLeases gate(String key) {
    return gates.computeIfAbsent(redis.slot(key), this::gate);
  }

  private SlotLeases gate(int slot) {
    String epochs =
        redis.clustered()
            ? LeaseRenewer.EPOCH_KEY + ":" + ClusterHashTags.tag(slot)
            : LeaseRenewer.EPOCH_KEY;
    return new SlotLeases(
        new RequestBatcher<>(TOGETHER_MAX, CALLS_MAX, locks -> acquireAll(epochs, locks)),
        new RequestBatcher<>(TOGETHER_MAX, CALLS_MAX, this::releaseAll));
  }

  /** Leases that one call may extend: on a cluster those of one slot. */
  List<List<Lease>> calls(List<Lease> leases) {
    if (!redis.clustered()) {
      return List.of(leases);
    }
    return List.copyOf(
        leases.stream().collect(Collectors.groupingBy(lease -> redis.slot(lease.key()))).values());
  }

  /**
   * Takes a lock and answers its epoch, or 0 when another has it.
   *
   * @throws RedisUnavailable when it is unknown whether the lock was taken; it is then given back
   */
  long acquire(String key, String token, LeaseConfig terms) {
    CompletableFuture<Long> epoch =
        gate(key).acquiring.begin(new LeaseRequest(key, token, terms.timeout()));
    try {
      return Math.max(0, Redis.await(epoch));
    } catch (RedisUnavailable e) {
      // An interrupted caller may release before the acquiring call has run.
      var _ = epoch.whenComplete((taken, error) -> releaseLater(key, token));
      throw e;
    }
  }

  private CompletionStage<List<Long>> acquireAll(String epochKey, List<LeaseRequest> locks) {
    List<String> keys = new ArrayList<>(1 + locks.size());
    List<String> args = new ArrayList<>(2 * locks.size());
    keys.add(epochKey);
    for (LeaseRequest lock : locks) {
      keys.add(lock.key);
      args.add(lock.token);
      args.add(Long.toString(lock.timeout.toMillis()));
    }
    return redis
        .evalAsync(ACQUIRE, keys, args)
        .thenApply(
            answer ->
                answer instanceof List<?> epochs
                    ? epochs.stream().map(Long.class::cast).toList()
                    : List.of());
  }

  private CompletionStage<List<Boolean>> releaseAll(List<LeaseRequest> locks) {
    return redis
        .evalAsync(
            RELEASE,
            locks.stream().map(LeaseRequest::key).toList(),
            locks.stream().map(LeaseRequest::token).toList())
        .thenApply(deleted -> Collections.nCopies(locks.size(), true));
  }

  /** Extends many locks by one call; the answer holds 1 for each that is still ours. */
  CompletionStage<@Nullable Object> renew(List<Lease> leases) {
    List<String> keys = new ArrayList<>(leases.size());
    List<String> args = new ArrayList<>(2 * leases.size());
    for (Lease lease : leases) {
      keys.add(lease.key());
      args.add(lease.token());
      args.add(Long.toString(lease.terms().timeout().toMillis()));
    }
    return redis.evalAsync(RENEW, keys, args);
  }

  /** Deletes a lock that is ours and waits until it is done. */
  void release(String key, String token) {
    try {
      boolean _ = gate(key).releasing.submit(new LeaseRequest(key, token, Duration.ZERO));
    } catch (RedisUnavailable e) {
      owe(key, token);
    }
  }

  /** The same for many locks in parallel; locks whose deletion fails expire. */
  void release(List<Lease> leases) {
    List<CompletableFuture<@Nullable Object>> sent = new ArrayList<>();
    for (List<Lease> call : calls(leases)) {
      for (int from = 0; from < call.size(); from += BATCH_MAX) {
        List<Lease> batch = call.subList(from, Math.min(call.size(), from + BATCH_MAX));
        sent.add(
            redis
                .evalAsync(
                    RELEASE,
                    batch.stream().map(Lease::key).toList(),
                    batch.stream().map(Lease::token).toList())
                .toCompletableFuture());
      }
    }
    int failed = 0;
    for (CompletableFuture<@Nullable Object> each : sent) {
      try {
        Object _ = Redis.await(each);
      } catch (RedisUnavailable e) {
        failed++;
      }
    }
    if (failed > 0) {
      log.info("Redis is away, the locks of {} calls end by themselves", failed);
    }
  }

  /** The same without waiting. */
  void releaseLater(String key, String token) {
    var _ =
        redis
            .evalAsync(RELEASE, List.of(key), List.of(token))
            .whenComplete(
                (answer, error) -> {
                  if (error != null) {
                    owe(key, token);
                  }
                });
  }

  private void owe(String key, String token) {
    log.debug("the lock {} is deleted when Redis is back", key);
    synchronized (owed) {
      owed.put(token, key);
    }
  }

  private void pay() {
    Map<String, String> due;
    synchronized (owed) {
      due = Map.copyOf(owed);
      owed.clear();
    }
    due.forEach((token, key) -> releaseLater(key, token));
  }
}
