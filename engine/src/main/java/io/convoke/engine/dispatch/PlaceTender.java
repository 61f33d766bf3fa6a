package io.convoke.engine.dispatch;

import io.convoke.engine.dispatch.Tender.Sweep;
import io.convoke.engine.redis.Redis;
import io.convoke.engine.redis.RedisUnavailable;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a {@link Tender} does for one place. While nothing lives there it waits for a token. */
final class PlaceTender implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PlaceTender.class);
  private static final int MOST = 500;
  private static final int TICKS_PER_AUDIT = 10;

  /** Redis' clock is read in whole milliseconds, and what is due is not to be missed by one. */
  private static final Duration ROUNDING = Duration.ofMillis(1);

  /**
   * While nothing lives, the ledger is asked at every so many looks, ten minutes: idle is to cost
   * next to none. It would find what a server accepted just before it died; as soon as any task
   * lives, that is found within seconds.
   */
  private static final int LOOKS_PER_AUDIT = 20;

  private final Tender whole;
  private final Redis redis;
  private final Places places;
  private final Functions functions;
  private final DispatchTerms terms;
  private final Rebuild rebuild;
  private final Scribe scribe;
  private final Pause pause = new Pause();
  private final Ear ear;
  private volatile long lookedAt = System.nanoTime();
  private volatile boolean reconnected = true;
  private int looks;

  PlaceTender(Tender whole, Tasks tasks, Functions functions, Ledger ledger, DispatchTerms terms) {
    this.whole = whole;
    this.redis = tasks.redis();
    this.places = tasks.places();
    this.functions = functions;
    this.terms = terms;
    this.rebuild = new Rebuild(redis, functions, ledger, whole.rebuilt());
    this.scribe = new Scribe(redis, functions, ledger, whole.carried());
    redis.onConnect(() -> reconnected = true);
    this.ear =
        new Ear(
            redis,
            functions.place(),
            "dispatch-tender",
            terms.idle(),
            () -> new String[] {functions.place().tend()},
            (list, token) -> CompletableFuture.completedStage(token),
            (list, token) -> {
              meetNewPlaces();
              tend();
            },
            this::look);
  }

  Duration sinceLook() {
    return Duration.ofNanos(System.nanoTime() - lookedAt);
  }

  @Override
  public void close() {
    pause.close();
    ear.close();
    scribe.close();
  }

  /** After a connect, and now and then: whether anything was missed. */
  private void look() {
    meetNewPlaces();
    rebuildIfForgotten();
    looks++;
    if (reconnected || looks % LOOKS_PER_AUDIT == 0) {
      reconnected = false;
      audit(Duration.ZERO);
    }
    tend();
  }

  /** The directory is in the global place, and so is the token for who tends a new one. */
  private void meetNewPlaces() {
    if (places.many() && isGlobal()) {
      whole.tend(places.learn());
    }
  }

  private boolean isGlobal() {
    return functions.equals(places.global());
  }

  private void rebuildIfForgotten() {
    try {
      if (rebuild.ifForgotten()) {
        scribe.wake();
      }
    } catch (StoreUnavailable e) {
      log.info("the ledger is out of reach, nothing is rebuilt from it");
    }
  }

  /** Looks at each tick while anything lives. */
  private void tend() {
    Ticked ticked;
    int ticks = 0;
    do {
      ticked = tick();
      ticks++;
      if (ticks % TICKS_PER_AUDIT == 0) {
        audit(terms.tick().multipliedBy(TICKS_PER_AUDIT / 2));
      }
    } while (ticked.live() != 0 && await(untilNext(ticked)));
  }

  /** Until the next tick, or sooner if a task that is delayed is due before. */
  private Duration untilNext(Ticked ticked) {
    return ticked
        .nextDue()
        .filter(due -> due.compareTo(terms.tick()) < 0)
        .map(due -> due.plus(ROUNDING))
        .orElse(terms.tick());
  }

  /** What was accepted for any place by a server that could not tell Redis. */
  private void audit(Duration span) {
    try {
      whole.takeInUnheard(span);
    } catch (StoreUnavailable e) {
      log.debug("the ledger is out of reach, what it accepted has to wait");
    } catch (RedisUnavailable e) {
      log.debug("a place is out of reach, what was accepted for it has to wait");
    }
  }

  private Ticked tick() {
    Ticked ticked = functions.tick().on(redis);
    lookedAt = System.nanoTime();
    if (ticked.live() == -2) {
      rebuildIfForgotten();
    } else if (ticked.live() > 0) {
      // The order matters: what is overdue is marked before it moves, and moves before it is late.
      Swept _ = repeat(Sweep.EXPIRE, functions::expire);
      Swept _ = repeat(Sweep.RECLAIM, functions::reclaim);
      Swept left = repeat(Sweep.OVERFLOW, functions::overflow);
      tellTheGlobalQueue(ticked, left);
    }
    whole.ticked().emit(ticked.live());
    return ticked;
  }

  /** Which lanes here hold something for everybody, where everybody looks. */
  private void tellTheGlobalQueue(Ticked ticked, Swept left) {
    if (!places.many() || isGlobal()) {
      return;
    }
    Map<String, Boolean> lanes =
        Stream.concat(
                ticked.lanes().stream(),
                left.byRegion().keySet().stream().map(region -> Place.GLOBAL + ":" + region))
            .distinct()
            .collect(Collectors.toMap(lane -> lane, lane -> true));
    if (!lanes.isEmpty()) {
      try {
        int _ = places.global().hint(true, ticked.types(), lanes).on(redis);
      } catch (RedisUnavailable e) {
        log.debug("the global queue is out of reach, it hears at another tick");
      }
    }
  }

  private Swept repeat(Sweep sweep, IntFunction<Call<Swept>> call) {
    Swept swept;
    Swept found = new Swept(0, Map.of());
    do {
      swept = call.apply(MOST).on(redis);
      swept.byRegion().forEach((region, count) -> whole.swept(sweep, region, count));
      found = swept.count() > 0 ? swept : found;
    } while (swept.count() >= MOST);
    return found;
  }

  private boolean await(Duration interval) {
    try {
      return pause.await(interval);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
