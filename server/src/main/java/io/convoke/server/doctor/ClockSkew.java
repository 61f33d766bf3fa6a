package io.convoke.server.doctor;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/** Compares this machine's clock with a store's. */
final class ClockSkew {
  /** JWTs, sessions and expiries are compared with this machine's clock, rows carry the store's. */
  static final Duration MAX = Duration.ofSeconds(1);

  private ClockSkew() {}

  /** Half of the time that the question took may be error, and is taken off. */
  static DoctorFinding check(String part, InstantSource clock, Supplier<Instant> store) {
    Instant before = clock.instant();
    Instant there = store.get();
    Instant after = clock.instant();
    Duration half = Duration.between(before, after).dividedBy(2);
    Duration skew = Duration.between(before.plus(half), there);
    Duration least = skew.abs().minus(half.abs());
    return least.compareTo(MAX) > 0
        ? DoctorFinding.fault(
            part,
            "its clock is %d ms %s this machine's: synchronize both, for example with chrony"
                .formatted(skew.abs().toMillis(), skew.isNegative() ? "behind" : "ahead of"))
        : DoctorFinding.ok(part, "its clock agrees with this machine's");
  }
}
