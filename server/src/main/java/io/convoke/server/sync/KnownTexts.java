package io.convoke.server.sync;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Remembers what texts of the cache mean, so that one that has not changed is not parsed again. It
 * answers nothing by itself: whoever asks has just been given the text by Redis. Bounded in number
 * and in size.
 */
final class KnownTexts {
  private static final int MAX = 8_192;
  private static final int TEXT_MAX = 2_048;

  private final Function<String, Optional<SyncCache.Kept>> parse;
  private final ConcurrentHashMap<String, Meaning> meanings = new ConcurrentHashMap<>();

  private record Meaning(String text, SyncCache.Kept kept) {}

  KnownTexts(Function<String, Optional<SyncCache.Kept>> parse) {
    this.parse = parse;
  }

  /** What a text under this key means; empty if it is none of ours. */
  Optional<SyncCache.Kept> of(String key, String text) {
    Meaning known = meanings.get(key);
    if (known != null && known.text.equals(text)) {
      return Optional.of(known.kept);
    }
    Optional<SyncCache.Kept> kept = parse.apply(text);
    if (kept.isPresent() && text.length() <= TEXT_MAX) {
      makeRoom();
      meanings.put(key, new Meaning(text, kept.get()));
    }
    return kept;
  }

  private void makeRoom() {
    if (meanings.size() >= MAX) {
      meanings.keySet().stream().limit(MAX / 10).toList().forEach(meanings::remove);
    }
  }
}
