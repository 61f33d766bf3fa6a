package io.convoke.engine.dispatch;

import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.BackgroundLoop;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relays the outbox of a key space to the database: reads transitions, commits them in batches,
 * then deletes them from Redis. A lock makes one server relay at a time; if a paused server
 * outlives its lock and two relay, transition numbers make the duplicate harmless.
 */
final class OutboxRelay implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(OutboxRelay.class);

  /**
   * Time of the lock, much longer than a batch; each batch extends it, and others take over from a
   * server that hangs.
   */
  private static final Duration LOCK = Duration.ofSeconds(2);

  private static final Duration BLOCK = Duration.ofSeconds(30);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int BATCH_MAX = 500;

  /** The SQL states of data that Postgres refuses whenever it gets them. */
  private static final String DATA_EXCEPTION = "22";

  private static final int REFUSED_MAX = 1000;

  private static final LuaScript UNLOCK =
      LuaScript.of(
          "unlock",
          """
          -- Releases the lock if it still has our token.   KEYS[1] the lock   ARGV[1] our token
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

  /** {@code relayed} receives each batch that was stored. */
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

  /** Retries transitions that the database refused before the key space was compared with it. */
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
        // Reads from the start: stored entries are deleted.
        List<StreamMessage<String, String>> some =
            own.sync()
                .xread(
                    XReadArgs.Builder.block(BLOCK).count(1),
                    StreamOffset.from(keySpace.outbox(), "0"));
        if (some != null && !some.isEmpty() && !relayAll()) {
          // Another server relays, or Postgres is unreachable.
          boolean _ = waiter.await(AGAIN);
        }
      }
    } catch (RedisUnavailable | RedisException e) {
      boolean _ = waiter.await(AGAIN);
    } finally {
      connection = null;
    }
  }

  /**
   * Relays until the outbox is empty; false if another server relays or Postgres is unreachable.
   */
  private boolean relayAll() {
    String lock = keySpace.own("scribe");
    String got =
        redis.call(lock, commands -> commands.set(lock, token, SetArgs.Builder.nx().px(LOCK)));
    if (!"OK".equals(got)) {
      return false;
    }
    try {
      // Read first, so that the database refuses entries read in an outdated generation.
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
      log.info("Postgres unreachable; transitions stay in the outbox");
      return false;
    } finally {
      var _ = redis.eval(UNLOCK, List.of(lock), List.of(token));
    }
  }

  private enum RelayResult {
    /** More entries may follow. */
    MORE,
    /** The outbox is empty. */
    EMPTY,
    /** The generation is not the current one. */
    OUTDATED
  }

  private RebuildEpoch generation() {
    @Nullable String id =
        redis.call(keySpace.generation(), commands -> commands.get(keySpace.generation()));
    return new RebuildEpoch(keySpace.prefix(), id == null ? "" : id);
  }

  /**
   * Invalidates a generation that the database does not know, so that the key space is compared
   * again.
   */
  private void invalidate(RebuildEpoch rebuildEpoch) {
    if (taskScripts.invalidate(rebuildEpoch).on(redis) == 1) {
      log.warn(
          "Unknown generation in key space {}; comparing it with the database", keySpace.prefix());
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
    // An entry may hold more transitions than one transaction should; repeated ones are ignored.
    for (int from = 0; from < moves.size(); from += BATCH_MAX) {
      if (!record(rebuildEpoch, moves.subList(from, Math.min(moves.size(), from + BATCH_MAX)))) {
        return RelayResult.OUTDATED;
      }
    }
    String[] ids = batch.stream().map(StreamMessage::getId).toArray(String[]::new);
    long _ = redis.call(keySpace.outbox(), commands -> commands.xdel(keySpace.outbox(), ids));
    relayed.emit(moves);
    return RelayResult.MORE;
  }

  /**
   * Records transitions; false if the generation is not the current one. Transitions whose data the
   * database refuses are recorded half by half, until those that it refuses alone are set aside: no
   * other task waits for them. Redis keeps the state of their tasks and reports it again after each
   * comparison.
   */
  private boolean record(RebuildEpoch rebuildEpoch, List<TaskTransition> moves) {
    try {
      return durableTaskStore.record(rebuildEpoch, moves);
    } catch (SqlFailure e) {
      if (!e.sqlState().startsWith(DATA_EXCEPTION)) {
        throw e;
      }
      if (moves.size() == 1) {
        setAside(moves.getFirst(), e);
        return true;
      }
      int half = moves.size() / 2;
      return record(rebuildEpoch, moves.subList(0, half))
          && record(rebuildEpoch, moves.subList(half, moves.size()));
    }
  }

  private void setAside(TaskTransition move, SqlFailure failure) {
    log.error(
        "Postgres refuses transition {} of task {}; it is set aside in {}",
        move.number(),
        move.id(),
        keySpace.refused(),
        failure);
    String _ =
        redis.call(
            keySpace.refused(),
            commands ->
                commands.xadd(
                    keySpace.refused(),
                    XAddArgs.Builder.maxlen(REFUSED_MAX).approximateTrimming(),
                    Map.of(move.id() + "|" + move.number(), move.toString())));
  }
}
