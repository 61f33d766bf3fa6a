package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.convoke.engine.wake.Supervised;
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
final class Scribe implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Scribe.class);

  /**
   * Much longer than a batch takes, which extends it; what one that hangs holds, others take over.
   */
  private static final Duration LOCK = Duration.ofSeconds(2);

  private static final Duration BLOCK = Duration.ofSeconds(30);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final int BATCH_MAX = 500;
  private static final Script UNLOCK =
      Script.of(
          "unlock",
          """
          -- Gives back the lock if it is still ours.   KEYS[1] the lock   ARGV[1] our token
          if redis.call('GET', KEYS[1]) == ARGV[1] then
            return redis.call('DEL', KEYS[1])
          end
          return 0
          """);

  private final Redis redis;
  private final Functions functions;
  private final Place place;
  private final Ledger ledger;
  private final String token = UUID.randomUUID().toString();
  private final Pause pause = new Pause();
  private final Signal<List<Move>> carried;
  private final Supervised thread;
  private volatile @Nullable StatefulRedisConnection<String, String> connection;

  /** {@code carried} hears of each batch that is in the ledger. */
  Scribe(Redis redis, Functions functions, Ledger ledger, Signal<List<Move>> carried) {
    this.redis = redis;
    this.functions = functions;
    this.place = functions.place();
    this.ledger = ledger;
    this.carried = carried;
    this.thread = Supervised.start("dispatch-scribe", this::listen);
  }

  /** What was refused before the place was compared may be carried now. */
  void wake() {
    pause.wake();
  }

  @Override
  public void close() {
    pause.close();
    StatefulRedisConnection<String, String> current = connection;
    if (current != null) {
      var _ = current.closeAsync();
    }
    thread.close();
  }

  @SuppressWarnings("unchecked") // the client takes its streams as an array of generics
  private void listen() throws InterruptedException {
    try (StatefulRedisConnection<String, String> own = redis.dedicated(place.prefix(), BLOCK)) {
      connection = own;
      while (!pause.closed()) {
        // From the beginning: what is there is what the ledger does not have.
        List<StreamMessage<String, String>> some =
            own.sync()
                .xread(
                    XReadArgs.Builder.block(BLOCK).count(1),
                    StreamOffset.from(place.outbox(), "0"));
        if (some != null && !some.isEmpty() && !carryAll()) {
          // Another server carries, or Postgres is away.
          boolean _ = pause.await(AGAIN);
        }
      }
    } catch (RedisUnavailable | RedisException e) {
      boolean _ = pause.await(AGAIN);
    } finally {
      connection = null;
    }
  }

  /** Carries until nothing is left; false if that is another's, or cannot be done now. */
  private boolean carryAll() {
    String lock = place.own("scribe");
    String got =
        redis.call(lock, commands -> commands.set(lock, token, SetArgs.Builder.nx().px(LOCK)));
    if (!"OK".equals(got)) {
      return false;
    }
    try {
      // Before anything is read: what was read in a generation that is over is not written.
      Generation generation = generation();
      while (true) {
        switch (carry(generation)) {
          case ALL -> {
            return true;
          }
          case OLD -> {
            disown(generation);
            return false;
          }
          case SOME -> {
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

  private enum Carried {
    /** There may be more. */
    SOME,
    /** Nothing was left. */
    ALL,
    /** It was read in a generation that is over. */
    OLD
  }

  private Generation generation() {
    @Nullable String id =
        redis.call(place.generation(), commands -> commands.get(place.generation()));
    return new Generation(place.prefix(), id == null ? "" : id);
  }

  /** One that the ledger does not know came from elsewhere: the place is to be compared with it. */
  private void disown(Generation generation) {
    if (functions.disown(generation).on(redis) == 1) {
      log.warn("the ledger does not know what {} holds, it is compared", place.prefix());
    }
  }

  private Carried carry(Generation generation) {
    List<StreamMessage<String, String>> batch =
        redis.call(
            place.outbox(),
            commands -> commands.xrange(place.outbox(), Range.unbounded(), Limit.from(BATCH_MAX)));
    if (batch.isEmpty()) {
      return Carried.ALL;
    }
    List<Move> moves = batch.stream().flatMap(entry -> Move.of(entry.getBody()).stream()).toList();
    // An entry may hold many moves, and a transaction is not to. What is written again is old news.
    for (int from = 0; from < moves.size(); from += BATCH_MAX) {
      if (!ledger.record(
          generation, moves.subList(from, Math.min(moves.size(), from + BATCH_MAX)))) {
        return Carried.OLD;
      }
    }
    String[] ids = batch.stream().map(StreamMessage::getId).toArray(String[]::new);
    long _ = redis.call(place.outbox(), commands -> commands.xdel(place.outbox(), ids));
    carried.emit(moves);
    return Carried.SOME;
  }
}
