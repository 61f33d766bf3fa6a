package io.convoke.server.sync;

import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.lettuce.core.RedisException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code sync_status:{id}} in Redis: JSON, kept for the TTL, replaced by newer versions only. What
 * is known not to be there is kept too, for a moment.
 *
 * <p>Nobody waits long for it: a Redis that does not answer within {@link #PATIENCE} is left alone
 * for a second. Whatever goes wrong here, Postgres has it.
 */
final class SyncCache implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SyncCache.class);
  private static final Script PUT = Script.resource(SyncCache.class, "put.lua");
  private static final String PREFIX = "sync_status:";
  private static final Duration PATIENCE = Duration.ofMillis(400);
  private static final Duration REST = Duration.ofSeconds(1);
  private static final Duration NEGATIVE_TTL = Duration.ofSeconds(2);
  private static final int JITTER = 60;
  private static final int TAKEN_MAX = 8_192;

  /** The version of "there is no such meeting": older than anything that is. */
  private static final long UNKNOWN = -1;

  /** What {@code put.lua} says where Redis forgot something since that generation. */
  private static final Long FORGOT = -1L;

  /** What it says last where nobody else may hold a lease. */
  private static final Long NOBODY_ELSE = 0L;

  private static final String NOT_STARTED =
      SyncJson.member("status", SyncStatus.NOT_STARTED.word());

  private static final String NOBODY = "{\"version\":" + UNKNOWN + "}";

  private final Redis redis;
  private final Duration ttl;
  private final Readers readers = Readers.fresh();
  private final TrackedReads reads;
  private final SharedLooks looks;
  private final ConcurrentHashMap<String, Taken> taken = new ConcurrentHashMap<>();
  private volatile long restUntil = System.nanoTime();
  private volatile Runnable trouble = () -> {};
  private volatile Consumer<Collection<String>> forgot = _ -> {};
  private volatile String generation = "";

  SyncCache(Redis redis, Duration ttl) {
    this.redis = redis;
    this.ttl = ttl;
    this.reads = new TrackedReads(redis, readers, SyncCache::lasts);
    this.looks = new SharedLooks(reads, PATIENCE, this::lateOrLost);
  }

  @Override
  public void close() {
    reads.close();
  }

  /** How often Redis was asked for what is in it; far fewer times than it was read. */
  long asked() {
    return reads.asked();
  }

  /** Whether Redis tells of changes, so that what was read may be told again for a moment. */
  boolean tracked() {
    return reads.remembers();
  }

  /** What goes into Redis, and how long it is kept. */
  private record Entry(String meetingId, String json, long version, Duration keep) {}

  /** What Redis said that it has, on which connection. */
  private record Taken(Object way, long version) {}

  /** What the cache holds of a meeting: a record, or that there is no such meeting. */
  record Kept(Optional<Known> known) {}

  /**
   * A look into the cache.
   *
   * @param kept by id; what is not here is not in the cache
   * @param generation to be given back with what is read elsewhere; empty: do not put it here
   * @param way the connection that was looked through
   */
  record Look(Map<String, Kept> kept, String generation, Optional<Object> way) {
    static final Look NONE = new Look(Map.of(), "", Optional.empty());
  }

  /** What may be told without a look, and the connection that it was seen through. */
  record Told(Kept kept, Object way) {}

  /** What may be told of a meeting right now without waiting for anybody. */
  Optional<Told> told(String meetingId) {
    if (resting()) {
      return Optional.empty();
    }
    Optional<TrackedReads.Told> told = looks.told(PREFIX.concat(meetingId));
    if (told.isEmpty() || told.get().text().untilTellable(System.nanoTime()) > 0) {
      return Optional.empty();
    }
    Object way = told.get().way();
    return told.get().text().meaning(SyncCache::kept).map(kept -> new Told(kept, way));
  }

  /**
   * Looks for all of them at once, and waits until nobody can be told what was before; a Redis that
   * is away has nothing.
   */
  Look look(Collection<String> meetingIds) {
    if (resting()) {
      return Look.NONE;
    }
    Seen seen = looks.look(meetingIds.stream().map(PREFIX::concat).toList());
    Map<String, Kept> kept = HashMap.newHashMap(meetingIds.size());
    long now = System.nanoTime();
    long hold = 0;
    for (String id : meetingIds) {
      KeptText text = seen.values().get(PREFIX + id);
      if (text != null) {
        text.meaning(SyncCache::kept).ifPresent(it -> kept.put(id, it));
        hold = Math.max(hold, text.untilTellable(now));
      }
    }
    Spread.pass(Duration.ofNanos(hold));
    boolean filling = kept.size() < meetingIds.size() && seen.way().isPresent();
    return new Look(kept, learned(seen.generation(), filling), seen.way());
  }

  /** The one that Redis was seen in last; empty before. */
  String generation() {
    return generation;
  }

  /**
   * Puts what was committed. What does not get there the followers bring, a moment later.
   *
   * @param before the {@link #generation} before the commit: if Redis forgot something since, it
   *     may have been something newer
   * @return how long it takes until nobody can be told what was before
   */
  Duration put(Collection<SyncJson.Text> records, String before) {
    if (records.isEmpty()) {
      return Duration.ZERO;
    }
    Optional<Object> way = way();
    CompletableFuture<@Nullable Object> puts = send(records, before).toCompletableFuture();
    if (!arrived(puts)) {
      return Hearsay.SPREAD;
    }
    List<String> ids = records.stream().map(text -> text.record().meetingId()).toList();
    reads.forget(ids.stream().map(PREFIX::concat).toList());
    if (puts.getNow(null) instanceof List<?> answers && answers.contains(FORGOT)) {
      String _ = learned("", true);
      forgot.accept(ids);
    }
    if (way.equals(way())) {
      way.ifPresent(it -> records.forEach(text -> there(text.record(), it)));
    }
    return leases(puts);
  }

  /** How long what others have read by now may still be told. */
  private static Duration leases(CompletableFuture<@Nullable Object> puts) {
    return puts.getNow(null) instanceof List<?> answers && NOBODY_ELSE.equals(answers.getLast())
        ? Duration.ZERO
        : Memory.LEASE;
  }

  /**
   * Puts what was read, unless Redis forgot something since the look. Whoever was told what the
   * database says must not be told something older by the cache afterwards, so this waits until the
   * cache has it, and nobody can be told anything else.
   *
   * @return false if it does not get there, or this cannot be told
   */
  boolean refill(Map<String, Optional<SyncRecord>> found, Look look) {
    if (look.generation().isEmpty()) {
      return false;
    }
    List<Entry> entries =
        found.entrySet().stream()
            .map(
                it ->
                    it.getValue()
                        .map(record -> entry(SyncJson.write(record)))
                        .orElseGet(() -> nobody(it.getKey())))
            .toList();
    CompletableFuture<@Nullable Object> puts =
        eval(entries, look.generation()).toCompletableFuture();
    if (!arrived(puts)
        || !(puts.getNow(null) instanceof List<?> answers)
        || answers.contains(FORGOT)) {
      return false;
    }
    reads.forget(found.keySet().stream().map(PREFIX::concat).toList());
    Spread.pass(leases(puts));
    return true;
  }

  /** Sends records on their way; answers what became of each, as {@code put.lua} says it. */
  CompletionStage<@Nullable Object> send(Collection<SyncJson.Text> records, String generation) {
    return eval(records.stream().map(this::entry).toList(), generation);
  }

  /** Whether this process has seen Redis take this version, or a newer one, on this connection. */
  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  boolean took(SyncChange.Head head, Object way) {
    Taken known = taken.get(head.meetingId());
    return known != null && known.way == way && known.version >= head.version();
  }

  private void there(SyncRecord record, Object way) {
    if (taken.size() >= TAKEN_MAX) {
      taken.clear();
    }
    taken.put(record.meetingId(), new Taken(way, record.version()));
  }

  private Optional<Object> way() {
    try {
      return Optional.of(redis.async());
    } catch (RedisUnavailable | RedisException away) {
      return Optional.empty();
    }
  }

  /** Waits for what was sent, unless Redis is slow anyway. */
  private boolean arrived(CompletionStage<@Nullable Object> puts) {
    if (resting()) {
      return false;
    }
    try {
      var _ = within(puts.toCompletableFuture());
      return true;
    } catch (RedisUnavailable | RedisException e) {
      log.debug("records are not in the cache yet: {}", e.getMessage());
      return false;
    }
  }

  /** Loads the script, so that puts are done in the order in which they are sent. */
  void prepare(RedisAsyncCommands<String, String> commands) {
    String _ = within(commands.scriptLoad(PUT.source()).toCompletableFuture());
    String _ = learned("", true);
  }

  /** Tells of what was not kept, because Redis forgot what it had: it is to be read anew. */
  void onForgotten(Consumer<Collection<String>> reader) {
    forgot = reader;
  }

  /** Tells when Redis answers late or not: what it holds may be behind then. */
  void onTrouble(Runnable listener) {
    trouble = listener;
  }

  private CompletionStage<@Nullable Object> eval(List<Entry> entries, String generation) {
    List<String> keys = new ArrayList<>();
    List<String> args = new ArrayList<>();
    keys.add(readers.generation());
    keys.add(readers.key());
    args.add(generation);
    args.add(readers.self());
    args.add(Long.toString(Readers.KNOWN.toMillis()));
    for (Entry entry : entries) {
      keys.add(PREFIX + entry.meetingId);
      args.add(entry.json);
      args.add(Long.toString(entry.version));
      args.add(Long.toString(entry.keep.toMillis()));
    }
    return redis.evalAsync(PUT, keys, args);
  }

  private Entry entry(SyncJson.Text text) {
    SyncRecord record = text.record();
    return new Entry(
        record.meetingId(),
        text.json(),
        record.version(),
        record.status() == SyncStatus.NOT_STARTED ? NEGATIVE_TTL : jittered());
  }

  private static Entry nobody(String meetingId) {
    return new Entry(meetingId, NOBODY, UNKNOWN, NEGATIVE_TTL);
  }

  /** Notes the generation that was seen; where none was, asks for it, if that is wanted. */
  private String learned(String seen, boolean wanted) {
    String now = seen.isEmpty() && wanted ? current() : seen;
    if (!now.isEmpty() && !now.equals(generation)) {
      generation = now;
    }
    return now;
  }

  /** The generation that Redis is in, which begins here if there is none; empty if it is away. */
  private String current() {
    String fresh = UUID.randomUUID().toString();
    try {
      RedisAsyncCommands<String, String> way = redis.async();
      var _ = way.set(readers.generation(), fresh, SetArgs.Builder.nx());
      // Not in one command: SET takes NX and GET together from Redis 7 on only.
      @Nullable String there = within(way.get(readers.generation()).toCompletableFuture());
      return there == null ? "" : there;
    } catch (RedisUnavailable | RedisException e) {
      return "";
    }
  }

  /** Whether a text stays until it is replaced; what is not known yet is kept for a moment only. */
  private static boolean lasts(String text) {
    return !text.equals(NOBODY) && !text.contains(NOT_STARTED);
  }

  private static Optional<Kept> kept(String text) {
    Optional<SyncRecord> record = SyncJson.read(text);
    if (record.isPresent()) {
      return Optional.of(new Kept(record.map(Known::new)));
    }
    return text.equals(NOBODY) ? Optional.of(new Kept(Optional.empty())) : Optional.empty();
  }

  /** Records that were written together do not end together. */
  private Duration jittered() {
    long millis = ttl.toMillis();
    return Duration.ofMillis(
        Math.max(1, millis - ThreadLocalRandom.current().nextLong(millis / JITTER + 1)));
  }

  private void lateOrLost() {
    restUntil = System.nanoTime() + REST.toNanos();
    log.info("Redis is slow or gone; the database is asked for a second");
    trouble.run();
  }

  private boolean resting() {
    return restUntil - System.nanoTime() > 0;
  }

  private <T extends @Nullable Object> T within(CompletableFuture<T> answer) {
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      lateOrLost();
      throw new RedisException("no answer within " + PATIENCE);
    } catch (ExecutionException e) {
      trouble.run();
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisException(e);
    }
  }
}
