package io.convoke.server.sync;

import io.convoke.engine.journal.Event;
import io.convoke.engine.journal.EventFilter;
import io.convoke.engine.journal.Journal;
import io.convoke.engine.journal.Tail;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.redis.Script;
import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.SqlFailure;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Brings every committed update into the cache, whoever wrote it: what a writer's own put missed,
 * because Redis was away, its answer got lost or its process died. How far it is stands beside the
 * entries, in Redis, so that a Redis that comes back with older entries comes back with an older
 * place too, and all that is missing is brought again.
 *
 * <p>The cache may be believed on exactly the connection on which this caught up once, and as long
 * as the database was not lost since. On any other connection, entries may be from before something
 * that was written while nobody could reach them; and of what was written just before the database
 * went away, the journal may not have told us.
 */
final class CacheFollower implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CacheFollower.class);
  private static final Script SEEN = Script.resource(CacheFollower.class, "seen.lua");
  private static final String CURSOR = "convoke:sync:cursor";

  /** How far back to look when Redis does not know its place: it has forgotten its entries too. */
  private static final long BACK = 2_000;

  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final Duration PUSH_MAX = Duration.ofSeconds(1);
  private static final int OUTSTANDING_MAX = 16;

  /** When Redis comes back all nodes find it within this; until then some write past it. */
  private static final Duration GATHERING = Duration.ofMillis(1500);

  private final Journal journal;
  private final Redis redis;
  private final SyncCache cache;
  private final SyncMeters meters;
  private final InstantSource clock;
  private final LongSupplier databaseSight;
  private final Consumer<SyncStatus> onChange;
  private final Pause pause = new Pause();
  private final Signal<Boolean> coherence = new Signal<>();
  private final Signal<SyncChange.Head> brought = new Signal<>();
  private volatile Optional<Tail> tail = Optional.empty();
  private final AtomicLong troubles = new AtomicLong();
  private volatile Optional<Vouch> vouch = Optional.empty();
  private volatile boolean closed;

  /**
   * Begins nothing yet.
   *
   * @param databaseSight as {@link Sync} has it
   * @param onChange is told of every update that was brought; must not block
   */
  CacheFollower(
      Journal journal,
      Redis redis,
      SyncCache cache,
      SyncMeters meters,
      InstantSource clock,
      LongSupplier databaseSight,
      Consumer<SyncStatus> onChange) {
    this.journal = journal;
    this.redis = redis;
    this.cache = cache;
    this.meters = meters;
    this.clock = clock;
    this.databaseSight = databaseSight;
    this.onChange = onChange;
  }

  /**
   * On which connection this caught up, how much trouble there had been by then, and how often the
   * database had been found: any change since takes it back.
   */
  private record Vouch(Object way, long troubles, long sight) {}

  /** A change that the journal tells of; read as a whole only if the cache does not have it. */
  private record Change(SyncChange.Head head, JsonNode data) {}

  void start() {
    cache.onTrouble(this::distrust);
    redis.onConnect(this::look);
    var _ = Thread.ofVirtual().name("sync-follower").start(this::run);
  }

  /** Whether what was seen through this connection may be believed, the database being so. */
  boolean vouchesFor(SyncCache.Look look, long sight) {
    return look.way().isPresent() && vouchesFor(look.way().get(), sight);
  }

  /** The same of this connection. */
  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  boolean vouchesFor(Object way, long sight) {
    Optional<Vouch> now = vouched(sight);
    return now.isPresent() && now.get().way() == way;
  }

  boolean coherent() {
    return vouched(databaseSight.getAsLong()).isPresent() && redis.available();
  }

  /** What holds now; whoever finds that the database was lost since takes it back. */
  private Optional<Vouch> vouched(long sight) {
    Optional<Vouch> now = vouch.filter(it -> it.troubles() == troubles.get());
    if (now.isPresent() && now.get().sight() != sight) {
      distrust();
      return Optional.empty();
    }
    return now;
  }

  /** Each change of {@link #coherent}. */
  Signal<Boolean> coherence() {
    return coherence;
  }

  /** Each version that is in the cache by now. */
  Signal<SyncChange.Head> brought() {
    return brought;
  }

  @Override
  public void close() {
    closed = true;
    pause.close();
    tail.ifPresent(Tail::close);
  }

  /** A connection is new: the place is to be read again. */
  private void look() {
    distrust();
    pause.wake();
  }

  /** Something was late or got lost: all has to be seen to be there once more. */
  private void distrust() {
    long _ = troubles.incrementAndGet();
    tail.ifPresent(Tail::close);
  }

  private void run() {
    try {
      while (!closed) {
        try {
          follow();
        } catch (RedisUnavailable | RedisException | StoreUnavailable | SqlFailure away) {
          log.info("the sync cache waits for a store: {}", away.getMessage());
        } catch (RuntimeException | Error bug) {
          log.error("the sync cache's follower failed, it goes on", bug);
        }
        lost();
        boolean _ = pause.await(AGAIN);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void follow() throws InterruptedException {
    long mark = troubles.get();
    long sight = databaseSight.getAsLong();
    if (sight == Sync.OUT_OF_SIGHT) {
      return;
    }
    RedisAsyncCommands<String, String> way = redis.async();
    cache.prepare(way);
    long since = System.nanoTime();
    long goal = journal.settled();
    Deque<CompletableFuture<?>> sent = new ArrayDeque<>();
    try (Tail events = journal.tail(place(goal), changes())) {
      tail = Optional.of(events);
      while (!closed && isUp(way) && troubles.get() == mark && databaseSight.getAsLong() == sight) {
        boolean caughtUp = events.position() >= goal;
        Duration gathering = GATHERING.minusNanos(System.nanoTime() - since);
        if (caughtUp && vouch.isEmpty() && !gathering.isPositive()) {
          settle(sent, 0);
          vouch = Optional.of(new Vouch(way, mark, sight));
          meters.coherent(true);
          coherence.emit(true);
        }
        long before = events.position();
        List<Event> next = events.next(patience(caughtUp, gathering));
        if (!next.isEmpty() || events.position() - before > BACK) {
          sent.add(bring(next, events.position(), way));
          settle(sent, OUTSTANDING_MAX);
        }
      }
    } finally {
      tail = Optional.empty();
    }
  }

  /** Waits until no more than so many batches are on their way. */
  private static void settle(Deque<CompletableFuture<?>> sent, int most)
      throws InterruptedException {
    while (sent.size() > most || (!sent.isEmpty() && sent.getFirst().isDone())) {
      await(sent.removeFirst());
    }
  }

  private static Duration patience(boolean caughtUp, Duration gathering) {
    return !caughtUp ? Duration.ZERO : gathering.isPositive() ? gathering : WAIT;
  }

  @SuppressWarnings("ReferenceEquality") // this very connection, not one like it
  private boolean isUp(Object way) {
    return redis.available() && redis.async() == way;
  }

  private void lost() {
    boolean was = vouch.isPresent();
    vouch = Optional.empty();
    meters.coherent(false);
    if (was) {
      coherence.emit(false);
    }
  }

  /** Where to go on: where the entries are, never ahead of the journal. */
  private long place(long settled) {
    Optional<String> known = Optional.ofNullable(redis.call(commands -> commands.get(CURSOR)));
    return known
        .map(Long::parseLong)
        .filter(place -> place <= settled)
        .orElseGet(() -> Math.max(0, settled - BACK));
  }

  /**
   * Sends what the events say on its way, and then how far that is: it replaces what is older, and
   * where nothing is, newer ones may have been forgotten, so only a floor is left. Nobody waits:
   * whoever reads on this connection from now on reads behind it. What this process has put by
   * itself on this connection is there, or Redis has forgotten it together with its place.
   */
  private CompletableFuture<?> bring(List<Event> events, long upTo, Object way) {
    Map<String, Change> newest = new LinkedHashMap<>();
    for (Event event : events) {
      SyncChange.head(event.data())
          .ifPresent(
              head -> {
                var _ = newest.put(head.meetingId(), new Change(head, event.data()));
                onChange.accept(head.status());
              });
    }
    List<CompletableFuture<?>> sent = new ArrayList<>();
    List<SyncJson.Text> missing =
        newest.values().stream()
            .filter(change -> !cache.took(change.head, way))
            .flatMap(change -> SyncChange.record(change.data).stream())
            .map(SyncJson::write)
            .toList();
    if (!missing.isEmpty()) {
      sent.add(cache.send(missing, "").toCompletableFuture());
    }
    sent.add(
        redis.evalAsync(SEEN, List.of(CURSOR), List.of(Long.toString(upTo))).toCompletableFuture());
    return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, error) -> {
              if (error != null) {
                distrust();
                return;
              }
              newest.values().forEach(change -> brought.emit(change.head));
              events.forEach(
                  event -> meters.followed(Duration.between(event.at(), clock.instant())));
            });
  }

  private static void await(CompletableFuture<?> sent) throws InterruptedException {
    try {
      Object _ = sent.get(PUSH_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new RedisException("no answer within " + PUSH_MAX);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
    }
  }

  private static EventFilter changes() {
    return new EventFilter(Optional.of(SyncChange.TYPE), Optional.empty(), Optional.empty());
  }
}
