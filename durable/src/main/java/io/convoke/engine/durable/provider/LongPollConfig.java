package io.convoke.engine.durable.provider;

import java.time.Duration;

/**
 * How a provider waits for work (durable-1).
 *
 * @param enabled false: fetches return at once, the node does not listen, and the runtime sleeps
 *     between two fetches
 * @param fallbackInterval between two polls without a notification
 * @param timerGrace how early a node may wake for a timer; it then waits for its time by the
 *     store's clock
 * @param idleSleep between two polls while disabled, or while the LISTEN connection is down
 */
public record LongPollConfig(
    boolean enabled, Duration fallbackInterval, Duration timerGrace, Duration idleSleep) {

  /** The defaults (durable-9), long polling disabled. */
  public static LongPollConfig defaults() {
    return new LongPollConfig(
        false, Duration.ofSeconds(60), Duration.ofMillis(50), Duration.ofMillis(50));
  }

  /** The same with long polling enabled. */
  public LongPollConfig on() {
    return new LongPollConfig(true, fallbackInterval, timerGrace, idleSleep);
  }

  public LongPollConfig withFallback(Duration interval) {
    return new LongPollConfig(enabled, interval, timerGrace, idleSleep);
  }

  public LongPollConfig {
    require(fallbackInterval.isPositive(), "the fallback interval must be positive");
    require(!timerGrace.isNegative(), "the timer grace cannot be negative");
    require(idleSleep.isPositive(), "the idle sleep must be positive");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }
}
