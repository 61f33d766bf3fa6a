package io.convoke.engine.lease;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks in Redis: taken, extended and deleted by script. A deletion that did not come through
 * is owed: it is sent again when Redis is back, because a lock without a holder would otherwise
 * keep everybody out until it ends by itself.
 */
final class Locks {
  private static final Logger log = LoggerFactory.getLogger(Locks.class);
  private static final int OWED_MAX = 10_000;
  private static final int BATCH_MAX = 500;
  private static final Script ACQUIRE = Script.resource(LeaseKeeper.class, "acquire.lua");
  private static final Script RENEW = Script.resource(LeaseKeeper.class, "renew.lua");
  private static final Script RELEASE = Script.resource(LeaseKeeper.class, "release.lua");

  private final Redis redis;

  /** Tokens of locks to delete with their keys, oldest first; guarded by itself. */
  private final Map<String, String> owed =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > OWED_MAX;
        }
      };

  Locks(Redis redis) {
    this.redis = redis;
    redis.onConnect(this::pay);
  }

  /**
   * Takes a lock and answers its epoch, or 0 when another has it.
   *
   * @throws RedisUnavailable when it is unknown whether the lock was taken; it is then given back
   */
  long acquire(String key, String token, LeaseTerms terms) {
    try {
      Object epoch =
          redis.eval(
              ACQUIRE,
              List.of(key, LeaseKeeper.EPOCH_KEY),
              List.of(token, Long.toString(terms.timeout().toMillis())));
      return epoch instanceof Long number && number > 0 ? number : 0;
    } catch (RedisUnavailable e) {
      releaseLater(key, token);
      throw e;
    }
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
      Object _ = redis.eval(RELEASE, List.of(key), List.of(token));
    } catch (RedisUnavailable e) {
      owe(key, token);
    }
  }

  /** The same for many; stops at the first silence, the others end by themselves. */
  void release(List<Lease> leases) {
    try {
      for (int from = 0; from < leases.size(); from += BATCH_MAX) {
        List<Lease> batch = leases.subList(from, Math.min(leases.size(), from + BATCH_MAX));
        Object _ =
            redis.eval(
                RELEASE,
                batch.stream().map(Lease::key).toList(),
                batch.stream().map(Lease::token).toList());
      }
    } catch (RedisUnavailable e) {
      log.info("Redis is away, {} locks end by themselves", leases.size());
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
