package io.convoke.server.sync;

import java.util.Optional;
import java.util.function.Function;

/**
 * A text that Redis held, and what it means, which is found out when somebody first asks: a text
 * that stays the same is parsed once.
 */
final class KeptText {
  private final String text;
  private final long tellable;
  private Optional<SyncCache.Kept> meaning = Optional.empty();
  private volatile boolean understood;

  /**
   * A text.
   *
   * @param tellable the moment of the monotonic clock, in ns, from which on it may be told: before,
   *     another node may still tell what was there before it
   */
  KeptText(String text, long tellable) {
    this.text = text;
    this.tellable = tellable;
  }

  String text() {
    return text;
  }

  /** How long, in ns, until it may be told; 0 or less if it may. */
  long untilTellable(long now) {
    return tellable - now;
  }

  /** Empty if it is none of ours. */
  Optional<SyncCache.Kept> meaning(Function<String, Optional<SyncCache.Kept>> parse) {
    if (!understood) {
      meaning = parse.apply(text);
      understood = true;
    }
    return meaning;
  }
}
