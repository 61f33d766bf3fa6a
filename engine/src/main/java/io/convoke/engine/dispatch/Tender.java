package io.convoke.engine.dispatch;

import io.convoke.engine.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a server with the role dispatch does: marks what waited too long, takes from the dead what
 * they held, lets regions overflow, gives lost tokens again, carries the outbox into the ledger,
 * and rebuilds what Redis forgot. While nothing lives it waits for a token and costs nothing. On a
 * cluster it does so for each place.
 */
public final class Tender implements AutoCloseable {
  private static final int PAGE = 500;

  private final Tasks tasks;
  private final Ledger ledger;
  private final DispatchTerms terms;
  private final Watch watch;
  private final Signal<Integer> ticked = new Signal<>();
  private final Signal<Integer> rebuilt = new Signal<>();
  private final Signal<List<Move>> carried = new Signal<>();

  /** When the ledger was last asked for what Redis never got; nobody has asked yet. */
  private final AtomicLong audited = new AtomicLong(System.nanoTime() - Long.MAX_VALUE / 2);

  /** Guards itself and what follows; new places come while a server runs. */
  private final Map<Functions, PlaceTender> places = new ConcurrentHashMap<>();

  private boolean closed;

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
    this.ledger = ledger;
    this.terms = terms;
    this.watch = watch;
    tend(List.of(tasks.places().global()));
  }

  /** How many tasks live, at each look. */
  public Signal<Integer> ticked() {
    return ticked;
  }

  /** How many open tasks each rebuild looked at. */
  public Signal<Integer> rebuilt() {
    return rebuilt;
  }

  /**
   * Since when Redis has not answered a look; an idle tender looks twice a minute. Of several
   * places it is the one that was looked at longest ago.
   */
  public Duration sinceLook() {
    return places.values().stream()
        .map(PlaceTender::sinceLook)
        .max(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Each batch of moves that is in the ledger. */
  public Signal<List<Move>> carried() {
    return carried;
  }

  @Override
  public void close() {
    synchronized (places) {
      closed = true;
    }
    places.values().forEach(PlaceTender::close);
  }

  /** Tends these places as well from now on. */
  void tend(List<Functions> more) {
    synchronized (places) {
      for (Functions place : more) {
        if (!closed && !places.containsKey(place)) {
          places.put(place, new PlaceTender(this, tasks, place, ledger, terms));
        }
      }
    }
  }

  /**
   * Asks the ledger for what Redis was never told, of any place; once for all places that ask
   * within a span.
   */
  void takeInUnheard(Duration span) {
    long last = audited.get();
    long now = System.nanoTime();
    if (now - last < span.toNanos() || !audited.compareAndSet(last, now)) {
      return;
    }
    boolean _ = tasks.takeIn(() -> ledger.unheard(PAGE));
  }

  void swept(Sweep sweep, String region, int count) {
    watch.swept(sweep, region, count);
  }
}
