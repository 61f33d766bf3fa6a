package io.convoke.server.sync;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads keys of Redis through what this process remembers of them: one look reads what is not
 * remembered, and proves what is. It ends with {@code glance.lua}, whose answer comes behind
 * everything that Redis had to say before.
 *
 * <p>What remembers has a connection of its own, which is made beside the shared one and only where
 * both reach the same life of the same server. Until there is one, and where Redis does not tell of
 * changes, looks travel on the shared connection and read everything.
 */
final class TrackedReads implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TrackedReads.class);
  private static final Script GLANCE = Script.resource(TrackedReads.class, "glance.lua");

  /** A connection that could not be made is tried again after this. */
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private static final Duration ANSWER_MAX = Duration.ofSeconds(1);

  private final Redis redis;
  private final Readers readers;
  private final Predicate<String> lasting;
  private final LongSupplier nanos;
  private final LongAdder asked = new LongAdder();
  private final AtomicBoolean opening = new AtomicBoolean();
  private volatile long openAfter = System.nanoTime();
  private volatile @Nullable Memory memory;
  private volatile boolean closed;

  /**
   * Reads nothing yet.
   *
   * @param lasting which texts end by a change alone, or so late that it makes no difference
   */
  TrackedReads(Redis redis, Readers readers, Predicate<String> lasting) {
    this(redis, readers, lasting, System::nanoTime);
  }

  /** The same by another monotonic clock. */
  TrackedReads(Redis redis, Readers readers, Predicate<String> lasting, LongSupplier nanos) {
    this.redis = redis;
    this.readers = readers;
    this.lasting = lasting;
    this.nanos = nanos;
  }

  /** A text that may be told without a look, and the connection that it was seen through. */
  record Told(KeptText text, Object way) {}

  /** The same as {@link #tellable} of one key. */
  Optional<Told> told(String key) {
    Memory known = memory;
    return known == null
        ? Optional.empty()
        : known.tellable(key).map(text -> new Told(text, known.way()));
  }

  /** What may be told without a look; empty if nothing may of one of these keys. */
  Optional<Seen> tellable(Collection<String> keys) {
    Memory known = memory;
    return known == null
        ? Optional.empty()
        : known
            .tellable(keys)
            .map(texts -> new Seen(texts, Set.of(), "", Optional.of(known.way())));
  }

  /** Whether what was told by {@link #tellable} should be proved again soon. */
  boolean ages() {
    Memory known = memory;
    return known != null && known.ages();
  }

  /** Whether Redis tells of changes of what is read now. */
  boolean remembers() {
    Memory known = memory;
    return known != null && known.isOpen();
  }

  /** How often Redis was asked. */
  long asked() {
    return asked.sum();
  }

  /** Forgets what is known here to be older than what Redis holds. */
  void forget(Collection<String> keys) {
    Memory known = memory;
    if (known != null) {
      known.forget(keys);
    }
  }

  /**
   * Sends a look, after the one before it has been answered or given up. Fails if Redis does.
   *
   * @throws RedisUnavailable at once if Redis is away
   */
  CompletionStage<Seen> look(Collection<String> keys) {
    RedisAsyncCommands<String, String> way = redis.async();
    asked.increment();
    Memory on = memoryBeside(way);
    if (on == null) {
      return glance(way, List.copyOf(keys))
          .thenApply(
              glance -> new Seen(glance.texts, Set.of(), glance.generation, Optional.of(way)));
    }
    Memory.Look look = on.begin(keys);
    List<String> open = keys.stream().filter(key -> !look.reliesOn(key)).toList();
    return glance(on.commands(), open)
        .thenApply(
            glance -> {
              Map<String, KeptText> whole = on.end(look, glance.texts);
              return new Seen(
                  whole, missing(keys, open, whole), glance.generation, Optional.of(way));
            });
  }

  @Override
  public void close() {
    closed = true;
    Memory known = memory;
    if (known != null) {
      known.close();
    }
  }

  /** What was read, and of which generation. */
  private record Glance(Map<String, KeptText> texts, String generation) {}

  private CompletionStage<Glance> glance(
      RedisAsyncCommands<String, String> commands, List<String> keys) {
    CompletionStage<List<KeyValue<String, String>>> read =
        keys.isEmpty()
            ? CompletableFuture.completedStage(List.of())
            : commands.mget(keys.toArray(String[]::new));
    CompletionStage<List<Object>> end =
        commands.eval(
            GLANCE.source(),
            ScriptOutputType.MULTI,
            new String[] {readers.generation(), readers.key()},
            readers.self(),
            Long.toString(Readers.KNOWN.toMillis()));
    return end.thenCombine(
        read,
        (answer, values) ->
            new Glance(
                texts(values, Long.valueOf(1).equals(answer.getLast())),
                String.valueOf(answer.getFirst())));
  }

  /** What is read while others may still tell what was there before must not be told at once. */
  private static Map<String, KeptText> texts(
      List<KeyValue<String, String>> values, boolean others) {
    long now = System.nanoTime();
    long tellable = others ? now + Memory.LEASE.toNanos() : now;
    Map<String, KeptText> texts = HashMap.newHashMap(values.size());
    for (KeyValue<String, String> one : values) {
      if (one.hasValue()) {
        texts.put(one.getKey(), new KeptText(one.getValue(), tellable));
      }
    }
    return texts;
  }

  /** What was relied on and turned out to have changed. */
  private static Set<String> missing(
      Collection<String> keys, List<String> read, Map<String, KeptText> whole) {
    if (whole.size() == keys.size()) {
      return Set.of();
    }
    Set<String> missing = new HashSet<>(keys);
    read.forEach(missing::remove);
    boolean _ = missing.removeAll(whole.keySet());
    return missing;
  }

  /** The memory beside this very connection; where there is none yet, one is made meanwhile. */
  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private @Nullable Memory memoryBeside(RedisAsyncCommands<String, String> way) {
    Memory known = memory;
    if (known != null && known.way() == way && known.isOpen()) {
      return known;
    }
    if (!closed && System.nanoTime() - openAfter >= 0 && opening.compareAndSet(false, true)) {
      Thread _ = Thread.ofVirtual().name("sync-memory").start(() -> open(way));
    }
    return null;
  }

  private void open(RedisAsyncCommands<String, String> way) {
    try {
      Memory before = memory;
      if (before != null) {
        before.close();
      }
      memory = begun(way, redis.dedicated(ANSWER_MAX));
      if (closed) {
        close();
      }
    } catch (RedisUnavailable | RedisException e) {
      openAfter = System.nanoTime() + AGAIN.toNanos();
      log.debug("the sync cache is read without a memory: {}", e.getMessage());
    } finally {
      opening.set(false);
    }
  }

  /** A memory on this connection, which is closed if there cannot be one. */
  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private Memory begun(
      RedisAsyncCommands<String, String> way, StatefulRedisConnection<String, String> connection) {
    try {
      String run = redis.runId();
      if (run.isEmpty() || !connection.sync().info("server").contains(run)) {
        throw new RedisException("it cannot be told whether it is the same Redis");
      }
      Memory begun = Memory.begin(way, connection, lasting, nanos);
      if (redis.async() != way) {
        throw new RedisException("the shared connection is another one by now");
      }
      return begun;
    } catch (RedisUnavailable | RedisException e) {
      var _ = connection.closeAsync();
      throw e;
    }
  }
}
