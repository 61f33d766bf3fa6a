package io.convoke.lab.sim.fault;

import io.convoke.lab.sim.time.Draws;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * All fault switches, and the dice.
 *
 * <p>Whether a fault strikes depends on the seed, the kind and the key of what it would strike, and
 * on nothing else: two runs that do the same things suffer the same faults.
 */
public final class Faults {

  private final Map<FaultKind, Fault> settings = new EnumMap<>(FaultKind.class);
  private final Map<FaultKind, Long> strikes = new EnumMap<>(FaultKind.class);
  private Draws draws;

  public Faults(long seed) {
    this.draws = new Draws(seed, 0);
  }

  /** Sets one kind. */
  public synchronized void set(FaultKind kind, Fault fault) {
    settings.put(kind, fault);
  }

  /** Ends all faults. */
  public synchronized void clear() {
    settings.clear();
  }

  /** Starts other dice. */
  public synchronized void reseed(long seed) {
    draws = new Draws(seed, 0);
  }

  public synchronized Fault get(FaultKind kind) {
    return settings.getOrDefault(kind, Fault.NEVER);
  }

  /** How often each kind has struck. */
  public synchronized Map<FaultKind, Long> strikes() {
    return new EnumMap<>(strikes);
  }

  /**
   * Rolls the dice.
   *
   * @param subject what {@link Fault#on} is compared with
   * @param key names this very occasion
   * @return the share of the fault's amount, if it strikes
   */
  public synchronized Optional<Duration> strike(FaultKind kind, String subject, String key) {
    if (!hits(kind, subject, key)) {
      return Optional.empty();
    }
    Fault fault = get(kind);
    settings.put(kind, fault.struck());
    this.strikes.merge(kind, 1L, Long::sum);
    double share = draws.uniform(kind.wireName() + ".amount", key);
    return Optional.of(Duration.ofNanos(Math.round(fault.amount().toNanos() * share)));
  }

  /** Rolls the dice without counting the strike, for what is decided once and shown many times. */
  public synchronized boolean hits(FaultKind kind, String subject, String key) {
    Fault fault = get(kind);
    return fault.probability() > 0
        && fault.on().map(subject::contains).orElse(true)
        && fault.times().map(left -> left > 0).orElse(true)
        && draws.uniform(kind.wireName(), key) < fault.probability();
  }
}
