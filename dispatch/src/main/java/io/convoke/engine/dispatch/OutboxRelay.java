package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the outbox into the ledger: reads what the functions told, writes it by transactions, and
 * only then deletes it. One server does it at a time. Should two do it, because one was asleep for
 * longer than its lock, the numbers of the moves keep them apart.
 */
final class OutboxRelay implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

  /**
   * Much longer than a batch takes, which extends it; what one that hangs holds, others take over.
   */
  private static final Duration LOCK = Duration.ofSeconds(2);

  private static final Duration BLOCK = Duration.ofSeconds(30);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int BATCH_MAX = 500;
  private static final LuaScript UNLOCK =
      LuaScript.of(
          "unlock",
          """
          -- Gives back the lock if it is still ours.   KEYS[1] the lock   ARGV[1] our token
          if redis.call('GET', KEYS[1]) == ARGV[1] then
            return redis.call('DEL', KEYS[1])
          end
          return 0
          """);

  private final Redis redis;
  private final TaskScripts taskScripts;
  private final KeySpace keySpace;
  private final DurableTaskStore durableTaskStore;
  private final String token = UUID.randomUUID().toString();
  private final Waiter waiter = new Waiter();
  private final TestSignal<List<TaskTransition>> relayed;
  private final BackgroundLoop thread;
  private volatile @Nullable StatefulRedisConnection<String, String> connection;

  /** {@code relayed} hears of each batch that is in the ledger. */
  OutboxRelay(
      Redis redis,
      TaskScripts taskScripts,
      DurableTaskStore durableTaskStore,
      TestSignal<List<TaskTransition>> relayed) {
    this.redis = redis;
    this.taskScripts = taskScripts;
    this.keySpace = taskScripts.keySpace();
    this.durableTaskStore = durableTaskStore;
    this.relayed = relayed;
    this.thread = BackgroundLoop.start("dispatch-outbox-relay", this::listen);
  }

  /** What was refused before the place was compared may be carried now. */
  void wake() {
    waiter.wake();
  }

  @Override
  public void close() {
    waiter.close();
    StatefulRedisConnection<String, String> current = connection;
    if (current != null) {
      var _ = current.closeAsync();
    }
    thread.close();
  }

  @SuppressWarnings("unchecked") // the client takes its streams as an array of generics
  private void listen() throws InterruptedException {
    try (StatefulRedisConnection<String, String> own = redis.dedicated(keySpace.prefix(), BLOCK)) {
      connection = own;
      while (!waiter.closed()) {
        // From the beginning: what is there is what the ledger does not have.
        List<StreamMessage<String, String>> some =
            own.sync()
                .xread(
                    XReadArgs.Builder.block(BLOCK).count(1),
                    StreamOffset.from(keySpace.outbox(), "0"));
        if (some != null && !some.isEmpty() && !relayAll()) {
          // Another server carries, or Postgres is away.
          boolean _ = waiter.await(AGAIN);
        }
      }
    } catch (RedisUnavailable | RedisException e) {
      boolean _ = waiter.await(AGAIN);
    } finally {
      connection = null;
    }
  }

  /** Carries until nothing is left; false if that is another's, or cannot be done now. */
  private boolean relayAll() {
    String lock = keySpace.own("scribe");
    String got =
        redis.call(lock, commands -> commands.set(lock, token, SetArgs.Builder.nx().px(LOCK)));
    if (!"OK".equals(got)) {
      return false;
    }
    try {
      // Before anything is read: what was read in a generation that is over is not written.
      RebuildEpoch rebuildEpoch = generation();
      while (true) {
        switch (relayBatch(rebuildEpoch)) {
          case EMPTY -> {
            return true;
          }
          case OUTDATED -> {
            invalidate(rebuildEpoch);
            return false;
          }
          case MORE -> {
            boolean _ = redis.call(lock, commands -> commands.pexpire(lock, LOCK));
          }
        }
      }
    } catch (StoreUnavailable e) {
      log.info("the ledger is out of reach, moves wait in Redis");
      return false;
    } finally {
      var _ = redis.eval(UNLOCK, List.of(lock), List.of(token));
    }
  }

  private enum RelayResult {
    /** There may be more. */
    MORE,
    /** Nothing was left. */
    EMPTY,
    /** It was read in a generation that is over. */
    OUTDATED
  }

  private RebuildEpoch generation() {
    @Nullable String id =
        redis.call(keySpace.generation(), commands -> commands.get(keySpace.generation()));
    return new RebuildEpoch(keySpace.prefix(), id == null ? "" : id);
  }

  /** One that the ledger does not know came from elsewhere: the place is to be compared with it. */
  private void invalidate(RebuildEpoch rebuildEpoch) {
    if (taskScripts.invalidate(rebuildEpoch).on(redis) == 1) {
      log.warn("the ledger does not know what {} holds, it is compared", keySpace.prefix());
    }
  }

  private RelayResult relayBatch(RebuildEpoch rebuildEpoch) {
    List<StreamMessage<String, String>> batch =
        redis.call(
            keySpace.outbox(),
            commands ->
                commands.xrange(keySpace.outbox(), Range.unbounded(), Limit.from(BATCH_MAX)));
    if (batch.isEmpty()) {
      return RelayResult.EMPTY;
    }
    List<TaskTransition> moves =
        batch.stream().flatMap(entry -> TaskTransition.of(entry.getBody()).stream()).toList();
    // An entry may hold many moves, and a transaction is not to. What is written again is old news.
    for (int from = 0; from < moves.size(); from += BATCH_MAX) {
      if (!durableTaskStore.record(
          rebuildEpoch, moves.subList(from, Math.min(moves.size(), from + BATCH_MAX)))) {
        return RelayResult.OUTDATED;
      }
    }
    String[] ids = batch.stream().map(StreamMessage::getId).toArray(String[]::new);
    long _ = redis.call(keySpace.outbox(), commands -> commands.xdel(keySpace.outbox(), ids));
    relayed.emit(moves);
    return RelayResult.MORE;
  }
}
