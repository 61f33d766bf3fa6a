package io.convoke.chaos.sync.rules;

import io.convoke.chaos.kernel.RunClock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.OptionalLong;

/**
 * Outages of the stores, on the clock of the calls.
 *
 * @param ttlNanos how long the servers keep a record in the cache
 * @param redisAway when Redis did not respond
 * @param all every outage of a store
 * @param faults every fault, of servers too
 * @param postgresAway when Postgres did not respond
 * @param clock by which the calls were recorded
 */
public record Outages(
    long ttlNanos,
    List<Span> redisAway,
    List<Span> all,
    List<Span> faults,
    List<Span> postgresAway,
    RunClock clock) {
  /** Until a server knows that Postgres is away; longer than it hangs in a run. */
  private static final long NOTICED = 2_500_000_000L;

  /** A busy machine reads two clocks at different times. */
  private static final Duration CLOCKS = Duration.ofSeconds(1);

  /** Outages of stores only. */
  public Outages(long ttlNanos, List<Span> redisAway, List<Span> all) {
    this(ttlNanos, redisAway, all, all, List.of(), new RunClock());
  }

  /** A period, in ns. */
  public record Span(long start, long end) {
    boolean contains(long from, long to) {
      return start <= from && to <= end;
    }
  }

  /** Whether no fault could be felt during a call. */
  boolean noFault(SyncCall call) {
    return faults.stream()
        .noneMatch(span -> span.start() <= call.end() && call.start() <= span.end());
  }

  /** Whether a time of the database's clock lies in a call. */
  boolean during(SyncCall call, String time) {
    try {
      Instant at = Instant.parse(time);
      return !at.isBefore(clock.instant(call.start()).minus(CLOCKS))
          && !at.isAfter(clock.instant(call.end()).plus(CLOCKS));
    } catch (DateTimeParseException malformed) {
      return false;
    }
  }

  /** When an update with this time of the database's clock was committed at the latest. */
  OptionalLong committed(String time) {
    try {
      return OptionalLong.of(clock.nanos(Instant.parse(time).plus(CLOCKS)));
    } catch (DateTimeParseException unknown) {
      return OptionalLong.empty();
    }
  }

  /** Whether Redis was down for the whole of a call. */
  boolean redisAway(SyncCall syncCall) {
    return redisAway.stream().anyMatch(span -> span.contains(syncCall.start(), syncCall.end()));
  }

  /** Whether Postgres had been away for a while when a call began, and until its end. */
  boolean postgresAway(SyncCall call) {
    return postgresAway.stream()
        .anyMatch(span -> span.contains(call.start() - NOTICED, call.end()));
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
