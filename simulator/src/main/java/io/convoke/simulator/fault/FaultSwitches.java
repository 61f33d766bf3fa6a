package io.convoke.simulator.fault;

import io.convoke.simulator.time.SeededRandom;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * All fault switches and their seeded decisions.
 *
 * <p>Whether a fault occurs depends on the seed, the kind and the key of the occasion, and on
 * nothing else: two runs that do the same things have the same faults.
 */
public final class FaultSwitches {

  private final Map<FaultKind, FaultSetting> settings = new EnumMap<>(FaultKind.class);
  private final Map<FaultKind, Long> strikes = new EnumMap<>(FaultKind.class);
  private SeededRandom seededRandom;

  public FaultSwitches(long seed) {
    this.seededRandom = new SeededRandom(seed, 0);
  }

  /** Sets one kind. */
  public synchronized void set(FaultKind kind, FaultSetting faultSetting) {
    settings.put(kind, faultSetting);
  }

  /** Ends all faults. */
  public synchronized void clear() {
    settings.clear();
  }

  /** Starts other dice. */
  public synchronized void reseed(long seed) {
    seededRandom = new SeededRandom(seed, 0);
  }

  public synchronized FaultSetting get(FaultKind kind) {
    return settings.getOrDefault(kind, FaultSetting.NEVER);
  }

  /** How often each kind has struck. */
  public synchronized Map<FaultKind, Long> strikes() {
    return new EnumMap<>(strikes);
  }

  /**
   * Decides whether a fault occurs.
   *
   * @param subject compared with {@link FaultSetting#on}
   * @param key identifies the occasion
   * @return the share of the fault's amount, if it occurs
   */
  public synchronized Optional<Duration> strike(FaultKind kind, String subject, String key) {
    if (!hits(kind, subject, key)) {
      return Optional.empty();
    }
    FaultSetting faultSetting = get(kind);
    settings.put(kind, faultSetting.occurred());
    this.strikes.merge(kind, 1L, Long::sum);
    double share = seededRandom.uniform(kind.wireName() + ".amount", key);
    return Optional.of(Duration.ofNanos(Math.round(faultSetting.amount().toNanos() * share)));
  }

  /** Decides without counting the occurrence, for decisions that are read many times. */
  public synchronized boolean hits(FaultKind kind, String subject, String key) {
    FaultSetting faultSetting = get(kind);
    return faultSetting.probability() > 0
        && faultSetting.on().map(subject::contains).orElse(true)
        && faultSetting.times().map(left -> left > 0).orElse(true)
        && seededRandom.uniform(kind.wireName(), key) < faultSetting.probability();
  }
}
