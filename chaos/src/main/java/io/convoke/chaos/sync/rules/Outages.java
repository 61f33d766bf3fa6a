package io.convoke.chaos.sync.rules;

import java.util.List;

/**
 * Outages of the stores, on the clock of the calls.
 *
 * @param ttlNanos how long the servers keep a record in the cache
 * @param redisAway when Redis did not respond
 * @param all every outage of a store
 */
public record Outages(long ttlNanos, List<Span> redisAway, List<Span> all) {

  /** A period, in ns. */
  public record Span(long start, long end) {
    boolean contains(long from, long to) {
      return start <= from && to <= end;
    }
  }

  /** Whether Redis was down for the whole of a call. */
  boolean redisAway(SyncCall syncCall) {
    return redisAway.stream().anyMatch(span -> span.contains(syncCall.start(), syncCall.end()));
  }

  /**
   * Since when both stores have responded; {@link Long#MAX_VALUE} if they do not at that moment.
   */
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
