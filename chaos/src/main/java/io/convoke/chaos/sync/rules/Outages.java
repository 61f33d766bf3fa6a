package io.convoke.chaos.sync.rules;

import java.util.List;

/**
 * When stores were disturbed, on the clock of the calls.
 *
 * @param ttlNanos how long the servers keep a record in the cache
 * @param redisAway when Redis answered nothing
 * @param all every disturbance of a store
 */
public record Outages(long ttlNanos, List<Span> redisAway, List<Span> all) {

  /** From a moment to another, in ns. */
  public record Span(long start, long end) {
    boolean contains(long from, long to) {
      return start <= from && to <= end;
    }
  }

  /** Whether Redis answered nothing for the whole of a call. */
  boolean redisAway(SyncCall syncCall) {
    return redisAway.stream().anyMatch(span -> span.contains(syncCall.start(), syncCall.end()));
  }

  /** Since when both stores have answered; {@link Long#MAX_VALUE} if they do not at that moment. */
  long quietSince(long moment) {
    long since = Long.MIN_VALUE;
    for (Span span : all) {
      if (span.contains(moment, moment)) {
        return Long.MAX_VALUE;
      }
      since = span.end() <= moment ? Math.max(since, span.end()) : since;
    }
    return since;
  }
}
