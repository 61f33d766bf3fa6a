package io.convoke.server.sync;

import io.convoke.engine.json.Json;
import io.convoke.engine.redis.LuaScript;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.RequestBatcher;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.engine.wake.Waiter;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The cache of sync status: {@code sync_status:{id}} in Redis, JSON, kept for the TTL. A newer
 * version replaces an older one, never the other way round ({@code put.lua}).
 *
 * <p>Each value carries the generation in which it was written. Only values of the current
 * generation, stored in Redis as {@code convoke:sync:generation}, are valid. This node starts a new
 * generation after each connect, because a Redis that restarted or failed over may lack updates,
 * and after each command that failed or took longer than {@link #TIMEOUT}, because an update may
 * have been lost. Until Redis has confirmed the new generation, this node reads Postgres.
 *
 * <p>The responses of one node never return to an older version: what it has read from Postgres or
 * written, it sends to Redis before it responds, on the connection on which it reads.
 */
final class SyncCache implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SyncCache.class);
  private static final LuaScript PUT = LuaScript.resource(SyncCache.class, "put.lua");
  private static final String GENERATION = "convoke:sync:generation";
  private static final String PREFIX = "sync_status:";

  /** Timeout of a command. */
  private static final Duration TIMEOUT = Duration.ofMillis(400);

  /** Pause between two attempts to start a generation. */
  private static final Duration RETRY = Duration.ofMillis(500);

  /** TTL for meetings without a sync, and for ids without a meeting. */
  private static final Duration NEGATIVE_TTL = Duration.ofSeconds(2);

  /** The TTL is shortened by up to this fraction, so that records do not expire together. */
  private static final int JITTER = 60;

  private static final int KEYS_MAX = 1_000;
  private static final int PARSED_MAX = 8_192;
  private static final int PARSED_LENGTH_MAX = 4_096;

  /** The version of an id without a meeting: older than any other. */
  private static final long UNKNOWN = -1;

  private final Redis redis;
  private final Duration ttl;
  private final Duration timeout;
  private final RequestBatcher<String, Value> reads = new RequestBatcher<>(KEYS_MAX, 1, this::mget);
  private final ConcurrentHashMap<String, Parsed> parsed = new ConcurrentHashMap<>();
  private final AtomicLong failures = new AtomicLong();
  private final LongAdder requests = new LongAdder();
  private final LongAdder generations = new LongAdder();
  private final AtomicBoolean recovering = new AtomicBoolean();
  private final Waiter waiter = new Waiter();
  private final TestSignal<String> begun = new TestSignal<>();
  private volatile boolean beginning;
  private final AtomicReference<Optional<Generation>> generation =
      new AtomicReference<>(Optional.empty());

  SyncCache(Redis redis, Duration ttl) {
    this(redis, ttl, TIMEOUT);
  }

  /** Creates a cache with another command timeout. */
  SyncCache(Redis redis, Duration ttl, Duration timeout) {
    this.redis = redis;
    this.ttl = ttl;
    this.timeout = timeout;
  }

  /**
   * A generation confirmed by Redis.
   *
   * @param connection the connection on which it was confirmed; invalid on any other
   * @param failures number of failed commands before it; invalid if more have failed since
   */
  private record Generation(
      String id, RedisAsyncCommands<String, String> connection, long failures) {}

  /** A value in Redis, empty if there is none, and the generation at that time. */
  private record Value(String text, String generation) {}

  /** A parsed value; kept, because pages poll the same one repeatedly. */
  private record Parsed(String text, String generation, Optional<CachedResponse> response) {}

  /** A record for {@code put.lua}; without JSON it only sets a marker. */
  private record SyncCacheWrite(String meetingId, String json, long version, Duration ttl) {}

  /**
   * The cached value of a meeting.
   *
   * @param current whether it is of the current generation; otherwise it may be outdated
   */
  record Lookup(Optional<CachedResponse> response, boolean current) {
    static final Lookup NONE = new Lookup(Optional.empty(), false);

    /** The response, if it is of the current generation. */
    Optional<CachedResponse> hit() {
      return current ? response : Optional.empty();
    }
  }

  /** Starts a generation now and after each connect to Redis. */
  void start() {
    redis.onConnect(this::recover);
  }

  /** Whether reads are served from Redis. */
  boolean usable() {
    return current().isPresent();
  }

  /** Number of read requests sent to Redis. */
  long requests() {
    return requests.sum();
  }

  /** Number of generations that this node has started. */
  long generations() {
    return generations.sum();
  }

  /** Emits each generation that this node starts. */
  TestSignal<String> begun() {
    return begun;
  }

  /**
   * The current generation known to this node; empty while the cache is not usable. Callers read it
   * before they query Postgres and pass it with the result.
   */
  String generation() {
    return current().map(Generation::id).orElse("");
  }

  /** Looks up a meeting. Concurrent callers share one {@code MGET}. */
  Lookup get(String meetingId) {
    return usable() ? lookup(meetingId, reads.begin(meetingId)) : Lookup.NONE;
  }

  /** Looks up several meetings. */
  Map<String, Lookup> get(Collection<String> meetingIds) {
    Map<String, CompletableFuture<Value>> asked = new LinkedHashMap<>();
    if (usable()) {
      meetingIds.forEach(id -> asked.computeIfAbsent(id, reads::begin));
    }
    Map<String, Lookup> found = new HashMap<>();
    asked.forEach((id, value) -> found.put(id, lookup(id, value)));
    return found;
  }

  /**
   * Stores committed records and waits for the confirmation of Redis, at most {@link #TIMEOUT}. If
   * that fails, the invalidators of all nodes apply the update.
   *
   * @param before the {@link #generation} before the transaction
   */
  void put(Collection<SyncRecordCodec.EncodedSyncRecord> records, String before) {
    List<SyncCacheWrite> entries =
        records.stream().map(encodedSyncRecord -> entry(encodedSyncRecord, before)).toList();
    CompletableFuture<Boolean> sent = sent(entries, before);
    if (usable()) {
      boolean _ = sent.join();
    }
  }

  /**
   * Stores records read from Postgres, without waiting: later commands of this node are executed
   * after it.
   *
   * @param before the {@link #generation} before the read
   */
  void refill(Map<String, Optional<SyncRecord>> found, String before) {
    List<SyncCacheWrite> entries = new ArrayList<>();
    found.forEach(
        (id, record) ->
            entries.add(
                record
                    .map(it -> entry(SyncRecordCodec.write(it), before))
                    .orElseGet(() -> unknown(id, before))));
    var _ = sent(entries, before);
  }

  /**
   * Invalidates cached records older than these versions, and waits for the confirmation.
   *
   * @return false if Redis did not confirm it; this node then starts a new generation
   */
  boolean invalidate(Map<String, Long> versions) {
    List<SyncCacheWrite> entries = new ArrayList<>();
    versions.forEach((id, version) -> entries.add(new SyncCacheWrite(id, "", version, ttl)));
    return sent(entries, "").join();
  }

  /** Invalidates the cache until a new generation, because Redis may lack an update. */
  void outdated() {
    long _ = failures.incrementAndGet();
    recover();
  }

  @Override
  public void close() {
    waiter.close();
  }

  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private Optional<Generation> current() {
    try {
      return generation
          .get()
          .filter(it -> it.failures == failures.get() && it.connection == redis.async());
    } catch (RedisUnavailable | RedisException away) {
      return Optional.empty();
    }
  }

  private CompletionStage<List<Value>> mget(List<String> meetingIds) {
    Optional<Generation> known = current();
    if (known.isEmpty()) {
      throw new RedisException("the cache is not usable");
    }
    requests.increment();
    Map<String, Integer> places = new HashMap<>();
    List<String> keys = new ArrayList<>();
    keys.add(GENERATION);
    for (String id : meetingIds) {
      if (places.putIfAbsent(id, keys.size()) == null) {
        keys.add(PREFIX.concat(id));
      }
    }
    return bounded(known.get().connection.mget(keys.toArray(String[]::new)))
        .thenApply(
            values -> {
              String now = text(values.getFirst());
              adopt(known, now);
              return meetingIds.stream()
                  .map(id -> new Value(text(values.get(places.getOrDefault(id, 0))), now))
                  .toList();
            });
  }

  private static String text(KeyValue<String, String> value) {
    return value.getValueOrElse("");
  }

  private Lookup lookup(String meetingId, CompletableFuture<Value> asked) {
    try {
      Value value = Redis.await(asked);
      if (value.text.isEmpty()) {
        return Lookup.NONE;
      }
      Parsed known = parsed(meetingId, value.text);
      return new Lookup(known.response, known.generation.equals(value.generation));
    } catch (RedisUnavailable | RedisException away) {
      return Lookup.NONE;
    }
  }

  private Parsed parsed(String meetingId, String text) {
    Parsed known = parsed.get(meetingId);
    if (known != null && known.text.equals(text)) {
      return known;
    }
    Parsed fresh = parse(text);
    if (text.length() <= PARSED_LENGTH_MAX) {
      if (parsed.size() >= PARSED_MAX) {
        parsed.clear();
      }
      parsed.put(meetingId, fresh);
    }
    return fresh;
  }

  private static Parsed parse(String text) {
    try {
      JsonNode tree = Json.read(text);
      Optional<SyncRecord> record = SyncRecordCodec.read(tree);
      Optional<CachedResponse> response =
          record.isEmpty() && tree.path("unknown").asBoolean(false)
              ? Optional.of(CachedResponse.UNKNOWN)
              : record.map(CachedResponse::of);
      return new Parsed(text, tree.path("generation").asString(""), response);
    } catch (JacksonException e) {
      return new Parsed(text, "", Optional.empty());
    }
  }

  /** Sends records; the result is whether Redis has all of them, or newer ones. Never fails. */
  private CompletableFuture<Boolean> sent(List<SyncCacheWrite> entries, String before) {
    // Also while a generation is being started: other nodes may already fill it, so it must not
    // lack this update.
    boolean sends = usable() || beginning;
    if (entries.isEmpty() || !sends) {
      return CompletableFuture.completedFuture(entries.isEmpty());
    }
    List<String> keys = new ArrayList<>();
    List<String> args = new ArrayList<>();
    keys.add(GENERATION);
    args.add(before);
    for (SyncCacheWrite syncCacheWrite : entries) {
      keys.add(PREFIX + syncCacheWrite.meetingId);
      args.add(syncCacheWrite.json);
      args.add(Long.toString(syncCacheWrite.version));
      args.add(Long.toString(syncCacheWrite.ttl.toMillis()));
    }
    Optional<Generation> known = current();
    return bounded(redis.evalAsync(PUT, keys, args))
        .thenApply(
            now -> {
              adopt(known, String.valueOf(now));
              return true;
            })
        .exceptionally(failed -> false);
  }

  /** Adopts a generation that another node has started; without one, Redis was emptied. */
  private void adopt(Optional<Generation> known, String now) {
    if (now.isEmpty()) {
      outdated();
    } else if (known.isPresent() && !now.equals(known.get().id)) {
      Generation was = known.get();
      boolean _ =
          generation.compareAndSet(
              known, Optional.of(new Generation(now, was.connection, was.failures)));
    }
  }

  /** Adds the timeout; a failure or {@link #TIMEOUT} makes this node start a new generation. */
  private <T extends @Nullable Object> CompletableFuture<T> bounded(CompletionStage<T> answer) {
    return answer
        .<T>thenApply(it -> it)
        .toCompletableFuture()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (it, error) -> {
              if (error != null) {
                outdated();
              }
            });
  }

  /** Starts a generation on a separate thread, unless one is running. */
  private void recover() {
    if (recovering.compareAndSet(false, true)) {
      Thread _ = Thread.ofVirtual().name("sync-cache").start(this::recoverNow);
    }
  }

  private void recoverNow() {
    do {
      try {
        log.info(
            "Sync cache: starting a new generation; sync status is read from Postgres until Redis"
                + " confirms it");
        while (!begin() && waiter.await(RETRY)) {}
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        return;
      } finally {
        recovering.set(false);
      }
      // A failure just before the line above saw this thread as running.
    } while (!waiter.closed()
        && redis.available()
        && !usable()
        && recovering.compareAndSet(false, true));
  }

  /** Tries to start a generation; true if the cache is usable or Redis is disconnected. */
  private boolean begin() {
    beginning = true;
    try {
      long before = failures.get();
      RedisAsyncCommands<String, String> connection = redis.async();
      String id = UUID.randomUUID().toString();
      // Load the script first: a resend after NOSCRIPT would be executed after later reads.
      var _ = connection.scriptLoad(PUT.source());
      String _ = connection.set(GENERATION, id).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      generation.set(Optional.of(new Generation(id, connection, before)));
      generations.increment();
      begun.emit(id);
      return usable();
    } catch (RedisUnavailable away) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } catch (ExecutionException | TimeoutException | RedisException e) {
      log.debug("Start of a sync cache generation not confirmed by Redis: {}", e.toString());
      return false;
    } finally {
      beginning = false;
    }
  }

  private SyncCacheWrite entry(
      SyncRecordCodec.EncodedSyncRecord encodedSyncRecord, String generation) {
    SyncRecord record = encodedSyncRecord.record();
    return new SyncCacheWrite(
        record.meetingId(),
        generation.isEmpty() ? "" : SyncRecordCodec.inGeneration(generation, encodedSyncRecord),
        record.version(),
        record.status() == SyncStatus.NOT_STARTED ? NEGATIVE_TTL : jittered());
  }

  private static SyncCacheWrite unknown(String meetingId, String generation) {
    String json =
        "{\"generation\":\"%s\",\"version\":%d,\"unknown\":true}".formatted(generation, UNKNOWN);
    return new SyncCacheWrite(meetingId, json, UNKNOWN, NEGATIVE_TTL);
  }

  private Duration jittered() {
    long millis = ttl.toMillis();
    return Duration.ofMillis(
        Math.max(1, millis - ThreadLocalRandom.current().nextLong(millis / JITTER + 1)));
  }
}
