package io.convoke.engine.dispatch;

import io.convoke.engine.signal.Signal;
import io.convoke.engine.sql.StoreUnavailable;
import io.convoke.engine.wake.Pause;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server with the role dispatch does: marks what waited too long, takes from the dead what
 * they held, lets regions overflow, gives lost tokens again, carries the outbox into the ledger,
 * and rebuilds what Redis forgot. While nothing lives it waits for a token and costs nothing.
 */
public final class Tender implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Tender.class);
  private static final int MOST = 500;
  private static final int TICKS_PER_AUDIT = 10;

  /**
   * While nothing lives, the ledger is asked at every so many looks, ten minutes: idle is to cost
   * next to none. It would find what a server accepted just before it died; as soon as any task
   * lives, that is found within seconds.
   */
  private static final int LOOKS_PER_AUDIT = 20;

  private final Tasks tasks;
  private final DispatchTerms terms;
  private final Watch watch;
  private final Rebuild rebuild;
  private final Scribe scribe;
  private final Pause pause = new Pause();
  private final Signal<Integer> ticked = new Signal<>();
  private final Ear ear;
  private volatile long lookedAt = System.nanoTime();
  private volatile boolean reconnected = true;
  private int looks;

  /** What is told of each sweep that found something; it must not block. */
  @FunctionalInterface
  public interface Watch {
    /** So many tasks of a region, {@link Place#GLOBAL} for those of none. */
    void swept(Sweep sweep, String region, int count);
  }

  /** What a tender looks for. */
  public enum Sweep {
    EXPIRE,
    RECLAIM,
    OVERFLOW
  }

  public Tender(Tasks tasks, Ledger ledger, DispatchTerms terms) {
    this(tasks, ledger, terms, (_, _, _) -> {});
  }

  public Tender(Tasks tasks, Ledger ledger, DispatchTerms terms, Watch watch) {
    this.tasks = tasks;
    this.terms = terms;
    this.watch = watch;
    this.rebuild = new Rebuild(tasks.redis(), tasks.functions(), Place.ONE, ledger);
    this.scribe = new Scribe(tasks.redis(), Place.ONE, ledger);
    tasks.redis().onConnect(() -> reconnected = true);
    this.ear =
        new Ear(
            tasks.redis(),
            "dispatch-tender",
            terms.idle(),
            () -> new String[] {Place.ONE.tend()},
            (list, token) -> CompletableFuture.completedStage(token),
            (list, token) -> tend(),
            this::look);
  }

  /** How many tasks live, at each look. */
  public Signal<Integer> ticked() {
    return ticked;
  }

  /** How many open tasks each rebuild looked at. */
  public Signal<Integer> rebuilt() {
    return rebuild.rebuilt();
  }

  /** Since when Redis has not answered a look; an idle tender looks twice a minute. */
  public Duration sinceLook() {
    return Duration.ofNanos(System.nanoTime() - lookedAt);
  }

  /** Each batch of moves that is in the ledger. */
  public Signal<List<Move>> carried() {
    return scribe.carried();
  }

  @Override
  public void close() {
    pause.close();
    ear.close();
    scribe.close();
  }

  /** After a connect, and now and then: whether anything was missed. */
  private void look() {
    try {
      rebuild.ifForgotten();
    } catch (StoreUnavailable e) {
      log.info("the ledger is out of reach, nothing is rebuilt from it");
    }
    looks++;
    if (reconnected || looks % LOOKS_PER_AUDIT == 0) {
      reconnected = false;
      takeInUnqueued();
    }
    tend();
  }

  /** Looks at each tick while anything lives. */
  private void tend() {
    int live;
    int ticks = 0;
    do {
      live = tick();
      ticks++;
      if (ticks % TICKS_PER_AUDIT == 0) {
        takeInUnqueued();
      }
    } while (live != 0 && await(terms.tick()));
  }

  private void takeInUnqueued() {
    try {
      rebuild.unqueued();
    } catch (StoreUnavailable e) {
      log.debug("the ledger is out of reach, what it accepted has to wait");
    }
  }

  private int tick() {
    int live = tasks.functions().tick().on(tasks.redis());
    lookedAt = System.nanoTime();
    if (live == -2) {
      try {
        rebuild.ifForgotten();
      } catch (StoreUnavailable e) {
        log.info("the ledger is out of reach, nothing is rebuilt from it");
      }
    } else if (live > 0) {
      // The order matters: what is overdue is marked before it moves, and moves before it is late.
      repeat(Sweep.EXPIRE, tasks.functions()::expire);
      repeat(Sweep.RECLAIM, tasks.functions()::reclaim);
      repeat(Sweep.OVERFLOW, tasks.functions()::overflow);
    }
    ticked.emit(live);
    return live;
  }

  private void repeat(Sweep sweep, IntFunction<Call<Swept>> call) {
    Swept swept;
    do {
      swept = call.apply(MOST).on(tasks.redis());
      swept.byRegion().forEach((region, count) -> watch.swept(sweep, region, count));
    } while (swept.count() >= MOST);
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
